using System.Security.Cryptography.X509Certificates;

namespace Broker.Server;

/// <summary>Receives the results of a <see cref="TlsUpgrade"/>. Called on the connection's loop.</summary>
internal interface ITlsUpgradeOwner
{
    /// <summary>
    /// Counts the client as connected. If the server refuses the client, returns false and the error text for the
    /// client.
    /// </summary>
    bool TryAdmit(out string refusal);

    /// <summary>Sends INFO, either encrypted or not.</summary>
    void SendInfo();

    /// <summary>Called when the client protocol begins, after the handshake or without TLS.</summary>
    /// <param name="certificate">The verified client certificate; null without a certificate or without TLS.</param>
    void OnUpgraded(X509Certificate2? certificate);
}
