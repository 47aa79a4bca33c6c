namespace Broker.Server;

/// <summary>Whether the server requests or requires client certificates.</summary>
public enum ClientCertificateMode
{
    /// <summary>The server does not request a client certificate.</summary>
    None,

    /// <summary>The server requests a client certificate. A certificate that the client sends must be valid.</summary>
    Optional,

    /// <summary>The server requires a valid client certificate (<c>verify</c> of nats-server).</summary>
    Required,
}
