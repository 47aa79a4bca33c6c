using System.Net;
using System.Security.Cryptography.X509Certificates;

namespace Broker.Server;

/// <summary>The facts about a client that an auth callout service receives. They contain secrets.</summary>
/// <param name="ClientId">The client id.</param>
/// <param name="Credentials">The credentials in the CONNECT.</param>
/// <param name="From">The address of the client; null for an in-process client.</param>
/// <param name="Transport">The transport of the client.</param>
internal sealed record CalloutQuestion(ulong ClientId, Credentials Credentials, EndPoint? From, ClientTransport Transport)
{
    /// <summary>The nonce in INFO; null for none.</summary>
    internal string? Nonce { get; init; }

    /// <summary>The verified client certificate; null for none.</summary>
    internal X509Certificate2? Certificate { get; init; }

    internal string? ClientName { get; init; }

    internal string? Language { get; init; }

    internal string? Version { get; init; }

    internal int ProtocolLevel { get; init; }

    /// <summary>The permissions of a client whose JWT has none; null if everything is allowed.</summary>
    internal AccessRules? DefaultAccess { get; init; }

    /// <summary>How long the service may take for its answer.</summary>
    internal TimeSpan Timeout { get; init; }

    /// <summary>Returns the type name only, because the default text of a record contains the secrets.</summary>
    public override string ToString() => nameof(CalloutQuestion);
}
