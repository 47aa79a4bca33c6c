namespace Broker.Server.Tests.Oracle;

/// <summary>How the clients of a random dialogue come in.</summary>
internal enum FuzzKind
{
    /// <summary>As they are, by TCP.</summary>
    Clear,

    /// <summary>The same over TLS.</summary>
    Tls,

    /// <summary>Each as one of <see cref="TestKit.Dialogues.FuzzDialogue.Users"/>, who may not do everything, or as nobody.</summary>
    Users,
}
