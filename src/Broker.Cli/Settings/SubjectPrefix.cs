namespace Broker.Cli.Settings;

/// <summary>Checks the subject tokens that precede a ZeroMQ topic.</summary>
internal static class SubjectPrefix
{
    /// <summary>Describes the input of <see cref="IsValid"/> for error messages.</summary>
    public const string Shape = "one or more subject tokens such as \"zmq\" or \"plant.zmq\"";

    /// <summary>
    /// Returns true for literal tokens. A wildcard, an empty token or a control character would change the subjects
    /// that are matched or sent.
    /// </summary>
    public static bool IsValid(string prefix)
        => prefix.Length is > 0 and <= 256
        && Array.TrueForAll(prefix.Split('.'), static token =>
            token.Length > 0 && token.All(static c => c is > ' ' and < (char)127 and not ('*' or '>')));
}
