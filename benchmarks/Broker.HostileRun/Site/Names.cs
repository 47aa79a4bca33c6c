namespace Broker.HostileRun.Site;

/// <summary>The users and subjects of the site.</summary>
internal static class Names
{
    /// <summary>The user of the honest clients.</summary>
    public const string Honest = "honest";

    public const string HonestPassword = "correct horse battery staple";

    /// <summary>
    /// The user of attackers that have a password. It may do all that bridges do not keep for themselves.
    /// </summary>
    public const string Attacker = "mallory";

    public const string AttackerPassword = "a password of her own";

    /// <summary>A user whose password is stored as a bcrypt hash, so that a guess costs the server time.</summary>
    public const string Hashed = "vault";

    /// <summary>The subject of the pipeline between PUSH and PULL programs.</summary>
    public const string Pipeline = "pipeline";

    /// <summary>The prefix of the subjects of ZeroMQ topics.</summary>
    public const string Prefix = "zmq";
}
