namespace Broker.Server.Tls;

/// <summary>Whether clients must show a certificate of their own.</summary>
public enum ClientCertificateMode
{
    /// <summary>They are not asked for one.</summary>
    None,

    /// <summary>They may show one; if they do, it must be good.</summary>
    Optional,

    /// <summary>They must (<c>verify</c> of nats-server).</summary>
    Required,
}
