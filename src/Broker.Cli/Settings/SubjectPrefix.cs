namespace Broker.Cli.Settings;

/// <summary>The subject tokens put before a ZeroMQ topic.</summary>
internal static class SubjectPrefix
{
    /// <summary>What <see cref="IsValid"/> takes, in words for a message.</summary>
    public const string Shape = "one or more subject tokens such as \"zmq\" or \"plant.zmq\"";

    /// <summary>Literal tokens only: a wildcard, an empty token or a control character would change what is matched or sent.</summary>
    public static bool IsValid(string prefix) =>
        prefix.Length is > 0 and <= 256
        && Array.TrueForAll(prefix.Split('.'), static token =>
            token.Length > 0 && token.All(static c => c is > ' ' and < (char)127 and not ('*' or '>')));
}
