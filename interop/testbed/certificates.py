"""Certificates as the quic-interop-runner makes them."""

from __future__ import annotations

import datetime
import ipaddress
import random
import string
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

# For clients that cannot be told an address for a name: loopback, and the far end of the matrix' tunnel.
ADDRESSES = ("127.0.0.1", "::1", "10.98.0.2")


def write_chain(folder: Path, length: int) -> None:
    """A root, and a chain of `length` of which the last is the server's.

    In a chain longer than one the server's certificate is inflated with names that nobody has.
    """
    names = ["server", "server4", "server6", "server46"]
    if length > 1:
        generator = random.Random(length)
        letters = string.ascii_lowercase + string.digits
        # As long as the runner's, in labels of a length that verifiers accept.
        names += [".".join("".join(generator.choices(letters, k=62)) for _ in range(4)) for _ in range(20)]
    addresses = [x509.IPAddress(ipaddress.ip_address(address)) for address in ADDRESSES]
    alternatives = x509.SubjectAlternativeName([*(x509.DNSName(name) for name in names), *addresses])
    key = ec.generate_private_key(ec.SECP256R1())
    root = _certificate("root", key, None, None, x509.BasicConstraints(ca=True, path_length=100))
    (folder / "ca.pem").write_bytes(root.public_bytes(serialization.Encoding.PEM))
    chain: list[x509.Certificate] = []
    issuer, issuer_key = root, key
    for number in range(1, length + 1):
        key = ec.generate_private_key(ec.SECP256R1())
        authority = x509.BasicConstraints(ca=True, path_length=100)
        extension: x509.ExtensionType = alternatives if number == length else authority
        issuer, issuer_key = _certificate(f"level {number}", key, issuer, issuer_key, extension), key
        chain.insert(0, issuer)
    encoded = [certificate.public_bytes(serialization.Encoding.PEM) for certificate in chain]
    (folder / "cert.pem").write_bytes(b"".join(encoded))
    form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (folder / "priv.key").write_bytes(key.private_bytes(*form))


def _certificate(
    name: str,
    key: ec.EllipticCurvePrivateKey,
    issuer: x509.Certificate | None,
    issuer_key: ec.EllipticCurvePrivateKey | None,
    extension: x509.ExtensionType,
) -> x509.Certificate:
    subject = x509.Name([x509.NameAttribute(NameOID.ORGANIZATION_NAME, name)])
    now = datetime.datetime.now(datetime.timezone.utc)
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer.subject if issuer else subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(days=10))
        .add_extension(extension, critical=isinstance(extension, x509.BasicConstraints))
    )
    return builder.sign(issuer_key or key, hashes.SHA256())
