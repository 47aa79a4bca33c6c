using System.Reflection;
using System.Security.Cryptography;

namespace Broker.Server;

/// <summary>The id and the name of the server in INFO.</summary>
internal sealed class ServerIdentity
{
    /// <summary>
    /// The version in INFO. Clients derive the server's features from this version, so it is the version of nats-server
    /// with the same client protocol.
    /// </summary>
    internal const string ProtocolVersion = "2.9.10";

    /// <summary>The version of this software, without the commit that a build may append.</summary>
    internal static readonly string SoftwareVersion =
        typeof(ServerIdentity).Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()
            ?.InformationalVersion.Split('+')[0] ?? "0.0.0";

    private const string IdAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    private const int IdLength = 56;

    /// <param name="name">The name of the server; null for its id.</param>
    /// <param name="key">The public key of the server, which is its id; null if it has none.</param>
    internal ServerIdentity(string? name, string? key)
    {
        Id = key ?? "N" + RandomNumberGenerator.GetString(IdAlphabet, IdLength - 1);
        Name = name ?? Id;
    }

    internal string Id { get; }

    internal string Name { get; }
}
