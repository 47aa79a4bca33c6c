using Broker.Cryptography;

namespace Broker.Cli.Configuration;

/// <summary>Recognises bcrypt hashes, which take the place of passwords and tokens.</summary>
internal static class BcryptText
{
    /// <summary>
    /// The error for a text that <see cref="IsBroken"/> reports. The message has the name of the key before it.
    /// </summary>
    public const string Problem = "is not a valid bcrypt hash: it must have 60 characters (broker passwd makes one)";

    private static readonly BcryptVerifier Verifier = new();

    /// <summary>
    /// Whether the text begins like a bcrypt hash but is not a valid one, for example because a part is missing. The
    /// server would refuse it.
    /// </summary>
    public static bool IsBroken(string text)
        => text is ['$', '2', 'a' or 'b' or 'x' or 'y', '$', >= '0' and <= '9', >= '0' and <= '9', '$', ..] && !Verifier.IsValid(text);
}
