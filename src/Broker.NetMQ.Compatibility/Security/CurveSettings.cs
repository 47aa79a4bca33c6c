using Broker.ZeroMq;

namespace NetMQ;

/// <summary>The keys of CURVE that the program has set for one socket.</summary>
internal sealed class CurveSettings
{
    private bool _isOn;

    /// <summary>Whether the socket is the server of CURVE.</summary>
    internal bool IsServer { get; private set; }

    /// <summary>The socket's own keys.</summary>
    internal NetMQCertificate? Certificate { get; private set; }

    /// <summary>The public key of the server; zeros if none is set.</summary>
    internal byte[] ServerKey { get; private set; } = new byte[CertificateKeys.Size];

    internal void SetServer(bool isServer)
    {
        IsServer = isServer;
        _isOn = isServer;
    }

    /// <exception cref="ArgumentException">The certificate has no secret key.</exception>
    internal void SetCertificate(NetMQCertificate certificate)
    {
        ArgumentNullException.ThrowIfNull(certificate);
        if (!certificate.HasSecretKey)
        {
            throw new ArgumentException("The certificate of a socket has a secret key; this one has none.", nameof(certificate));
        }

        Certificate = certificate;
        _isOn = true;
    }

    /// <exception cref="InvalidException">The key does not have 32 bytes.</exception>
    internal void SetServerKey(byte[] key)
    {
        ArgumentNullException.ThrowIfNull(key);
        if (key.Length != CertificateKeys.Size)
        {
            throw new InvalidException($"A key of CURVE has {CertificateKeys.Size} bytes, and not {key.Length}.");
        }

        ServerKey = key;
        _isOn = true;
    }

    /// <summary>Converts the options to those of Broker.ZeroMq.</summary>
    /// <exception cref="InvalidException">The program has set CURVE, but not all keys.</exception>
    internal ZeroMqSecurity ToSecurity()
    {
        if (!_isOn)
        {
            return ZeroMqSecurity.Null;
        }

        CurveKeyPair keys = NetMQCertificate.PairOf(Certificate?.SecretKey
            ?? throw new InvalidException("A socket with CURVE needs the option CurveCertificate."));
        if (IsServer)
        {
            return ZeroMqSecurity.CurveServer(keys);
        }

        return ServerKey.AsSpan().ContainsAnyExcept((byte)0)
            ? ZeroMqSecurity.CurveClient(keys, CurveKey.From(ServerKey))
            : throw new InvalidException("A client of CURVE needs the option CurveServerKey or CurveServerCertificate.");
    }
}
