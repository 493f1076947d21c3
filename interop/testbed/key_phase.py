"""The key phase of 1-RTT packets, read with the secret of their sender (RFC 9001, sections 5.4 and 6)."""

from __future__ import annotations

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

_SHORT_HEADER = 0x80
_KEY_PHASE = 0x04
_SAMPLE = 16
# Where the sample begins behind the connection id, as if the packet number had its full length.
_NUMBER = 4
# Name in quiche's traces: hash, bytes of the key.
_SUITES: dict[str, tuple[type[hashes.HashAlgorithm], int]] = {
    "AES128_GCM": (hashes.SHA256, 16),
    "AES256_GCM": (hashes.SHA384, 32),
    "ChaCha20_Poly1305": (hashes.SHA256, 32),
}


class KeyPhases:
    """Reads one sender's packets. The key of header protection stays the same through all updates."""

    def __init__(self, suite: str, secret: bytes, id_length: int) -> None:
        """`secret`: the first of its 1-RTT packets; `id_length`: of the connection ids that it sends to."""
        digest, length = _SUITES[suite]
        label = b"tls13 quic hp"
        info = length.to_bytes(2, "big") + bytes([len(label)]) + label + b"\0"
        self._key = HKDFExpand(digest(), length, info).derive(secret)
        self._chacha20 = suite.startswith("ChaCha20")
        self._id_length = id_length

    def read(self, datagram: bytes) -> int | None:
        """The phase of a datagram with nothing but a 1-RTT packet."""
        start = 1 + self._id_length + _NUMBER
        sample = datagram[start : start + _SAMPLE]
        if datagram[0] & _SHORT_HEADER or len(sample) < _SAMPLE:
            return None
        first = datagram[0] ^ self._mask(sample)
        return int(bool(first & _KEY_PHASE))

    def _mask(self, sample: bytes) -> int:
        """For the first byte."""
        if self._chacha20:
            cipher: Cipher[modes.ECB | None] = Cipher(algorithms.ChaCha20(self._key, sample), mode=None)
            return cipher.encryptor().update(b"\0")[0]
        return Cipher(algorithms.AES(self._key), modes.ECB()).encryptor().update(sample)[0]
