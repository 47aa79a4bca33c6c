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

    internal ServerIdentity(string? name)
    {
        Id = "N" + RandomNumberGenerator.GetString(IdAlphabet, IdLength - 1);
        Name = name ?? Id;
    }

    internal string Id { get; }

    internal string Name { get; }
}
