namespace NetMQ;

// The keys of CURVE.
public partial class SocketOptions
{
    /// <summary>
    /// Whether the socket is the server of CURVE. It then needs a <see cref="CurveCertificate"/>, and admits each
    /// client that knows its public key. False turns CURVE off.
    /// </summary>
    public bool CurveServer
    {
        get => Read().Curve.IsServer;
        set => Write().Curve.SetServer(value);
    }

    /// <summary>The socket's own keys of CURVE.</summary>
    /// <exception cref="ArgumentException">The certificate has no secret key.</exception>
    public NetMQCertificate CurveCertificate
    {
        set => Write().Curve.SetCertificate(value);
    }

    /// <summary>
    /// The public key of the server of CURVE that the socket connects to: 32 bytes, zeros if not set.
    /// </summary>
    /// <exception cref="InvalidException">The key does not have 32 bytes.</exception>
    public byte[] CurveServerKey
    {
        get => Read().Curve.ServerKey;
        set => Write().Curve.SetServerKey(value);
    }

    /// <summary>The certificate of the server of CURVE that the socket connects to.</summary>
    public NetMQCertificate CurveServerCertificate
    {
        set
        {
            ArgumentNullException.ThrowIfNull(value);
            Write().Curve.SetServerKey(value.PublicKey);
        }
    }
}
