"""Export for the viewer qvis (https://qvis.quictools.info), which reads qlog 0.3 and nothing newer."""

from .export import Exported, export
from .thin import Part

__all__ = ["Exported", "Part", "export"]
