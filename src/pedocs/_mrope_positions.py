"""Where tokens of text, images and videos stand for M-RoPE."""

import math
from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from pedocs import _checks

Resume = Literal["largest", "sides"]


def mrope_positions(
    segments: Sequence[int | tuple[int, int, int]],
    *,
    resume: Resume = "largest",
) -> NDArray[np.int64]:
    """Count time, height and width through a sequence of text, images and videos.

    ```text
    text of n tokens from s:          t = h = w = s, s + 1, …, s + n − 1
    grid of T × H × W tokens from s:  t = s + frame,  h = s + row,  w = s + column
                                      frame by frame, row by row

    next segment from:  s + n  after text
                        s + max(T, H, W)  after a grid, resume "largest"
                        s + max(H, W)     after a grid, resume "sides"
    ```

    An image is a grid of one frame. So an image takes as many positions as its
    longer side has tokens, and text that follows is nearer to what came before
    it than the number of tokens says.

    Args:
        segments: In their order, the number of tokens of each text, at least 0,
            and `(frames, rows, columns)` of each grid, each at least 1, counted
            in the tokens that enter the language model.
        resume: Where the next segment starts after a grid. "largest" is one
            after the largest position so far; "sides" leaves the frames out, as
            transformers has come to do. They differ for a video that has more
            frames than its longer side has tokens.

    Returns:
        Array of shape `(3, n)`, int64: time, height and width of each token.

    Raises:
        ValueError: An argument is not as described.

    Examples:
        Two tokens of text, an image of two by two, one token of text:

        >>> from pedocs import mrope_positions
        >>> mrope_positions([2, (1, 2, 2), 1])
        array([[0, 1, 2, 2, 2, 2, 4],
               [0, 1, 2, 2, 3, 3, 4],
               [0, 1, 2, 3, 2, 3, 4]])

    Source:
        [Wang et al. 2024](https://arxiv.org/abs/2409.12191), §2.1;
        [transformers](https://github.com/huggingface/transformers/blob/v5.24.0/src/transformers/models/qwen2_vl/modeling_qwen2_vl.py),
        function `get_rope_index`, for "sides".
    """
    allowed = "a list of text lengths and grids (frames, rows, columns)"
    if isinstance(segments, (str, bytes)) or not isinstance(segments, Sequence):
        raise _checks.refusal("segments", segments, allowed)
    _checks.choice("resume", resume, get_args(Resume))
    start = 0
    parts = [np.empty((3, 0), np.int64)]
    for index, segment in enumerate(segments):
        name = f"segments[{index}]"
        if isinstance(segment, (tuple, list)):
            if len(segment) != 3:
                raise _checks.refusal(name, segment, "(frames, rows, columns), or a text length")
            grid = [_checks.integer(name, length, minimum=1) for length in segment]
            parts.append(start + np.indices(grid).reshape(3, math.prod(grid)))
            start += max(grid if resume == "largest" else grid[1:])
        else:
            length = _checks.integer(name, segment, minimum=0)
            parts.append(np.tile(np.arange(start, start + length), (3, 1)))
            start += length
    return np.concatenate(parts, axis=1)
