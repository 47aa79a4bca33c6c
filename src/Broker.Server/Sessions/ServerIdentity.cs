using System.Security.Cryptography;

namespace Broker.Server.Sessions;

/// <summary>Who the server says it is.</summary>
internal sealed class ServerIdentity
{
    /// <summary>
    /// The version in INFO. Clients take from it what the server can do, so it is that of the nats-server whose client
    /// protocol is spoken here.
    /// </summary>
    internal const string ProtocolVersion = "2.9.10";

    private const string IdAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    private const int IdLength = 56;

    internal ServerIdentity(string? name)
    {
        Id = "N" + RandomNumberGenerator.GetString(IdAlphabet, IdLength - 1);
        Name = name ?? Id;
    }

    internal string Id { get; }

    internal string Name { get; }
}
