using System.Security.Cryptography.X509Certificates;

namespace Broker.Server.Sessions;

/// <summary>Who is told how far a <see cref="TlsUpgrade"/> has come. On the connection's loop.</summary>
internal interface ITlsUpgradeOwner
{
    /// <summary>Takes the client's place in the server. False, with what to tell it, when it has none.</summary>
    bool TryTakePlace(out string refusal);

    /// <summary>Sends INFO, in clear or not.</summary>
    void Greet();

    /// <summary>What comes now is the client's protocol.</summary>
    /// <param name="certificate">The one that it has proved; null for none, or in clear.</param>
    void OnUpgraded(X509Certificate2? certificate);
}
