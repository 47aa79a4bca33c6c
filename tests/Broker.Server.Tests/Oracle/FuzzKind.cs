namespace Broker.Server.Tests.Oracle;

/// <summary>The ways in which the clients of a random dialogue connect.</summary>
internal enum FuzzKind
{
    /// <summary>By TCP without TLS and without users.</summary>
    Clear,

    /// <summary>Over TLS without users.</summary>
    Tls,

    /// <summary>
    /// Each client as one of <see cref="TestKit.Dialogues.FuzzDialogue.Users"/>, with limited permissions, or without
    /// credentials.
    /// </summary>
    Users,
}
