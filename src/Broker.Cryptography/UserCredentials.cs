using Broker.Transport;

namespace Broker.Cryptography;

/// <summary>
/// A user's key pair, and the user's JWT if there is one. A client authenticates itself with them. Immutable and
/// thread-safe.
/// </summary>
/// <remarks>
/// A user seed is base32 text (RFC 4648, no padding) of two prefix bytes, the 32 bytes of the Ed25519 seed, and a
/// CRC-16 (XMODEM, little-endian) of the prefix and the seed. No error text and no <see cref="ToString"/> contains the
/// seed or the JWT.
/// </remarks>
/// <example><code>
/// var credentials = UserCredentials.Load("user.creds");
/// var options = new ClientOptions { Nkey = credentials.PublicKey, Jwt = () => credentials.Jwt, Sign = credentials.Sign
/// };
/// </code></example>
public sealed class UserCredentials
{
    private const int MaxFile = 1024 * 1024;

    private readonly NkeyPair _keys;

    private UserCredentials(NkeyPair keys, string? jwt)
    {
        _keys = keys;
        Jwt = jwt;
    }

    /// <summary>The public user nkey: 56 characters that begin with <c>U</c>.</summary>
    public string PublicKey => _keys.PublicKey;

    /// <summary>The JWT of the credentials file; null if the file contains only a seed.</summary>
    public string? Jwt { get; }

    /// <summary>Generates a new key pair.</summary>
    public static UserCredentials Generate() => new(NkeyPair.Generate(NkeyKind.User), null);

    /// <summary>Parses a user seed: 58 characters that begin with <c>SU</c>.</summary>
    /// <exception cref="FormatException">The text is not a user seed.</exception>
    public static UserCredentials FromSeed(string seed)
    {
        ArgumentNullException.ThrowIfNull(seed);
        return new UserCredentials(Parse(seed), null);
    }

    /// <summary>
    /// Reads a credentials file, which contains a block with a JWT and a block with a seed, or only a seed.
    /// </summary>
    /// <exception cref="IOException">The file cannot be read.</exception>
    /// <exception cref="UnauthorizedAccessException">Access to the file is denied.</exception>
    /// <exception cref="FormatException">The file is not a credentials file.</exception>
    public static UserCredentials Load(string file)
    {
        ArgumentNullException.ThrowIfNull(file);
        string text;
        try
        {
            text = BoundedFile.ReadText(file, MaxFile);
        }
        catch (InvalidDataException e)
        {
            throw new FormatException($"'{file}' is not a credentials file: it is larger than 1 MiB.", e);
        }

        string? jwt = null;
        string? seed = null;
        // Each block has one line of data between lines of dashes. Text outside the blocks is for human readers.
        foreach (string line in text.Split('\n').Select(static l => l.Trim()))
        {
            if (line.StartsWith("eyJ", StringComparison.Ordinal))
            {
                jwt ??= line;
            }
            else if (line.StartsWith("SU", StringComparison.Ordinal) && !line.Contains(' ', StringComparison.Ordinal))
            {
                seed ??= line;
            }
        }

        return seed is null
            ? throw new FormatException($"'{file}' is not a credentials file: it has no user seed.")
            : new UserCredentials(Parse(seed), jwt);
    }

    /// <summary>Signs the nonce of a server. The signature has 64 bytes.</summary>
    public byte[] Sign(ReadOnlyMemory<byte> nonce) => _keys.Sign(nonce.Span);

    /// <summary>
    /// Returns the seed, which is secret: 58 characters that begin with <c>SU</c>. <see cref="FromSeed"/> parses it.
    /// </summary>
    public string ExportSeed() => _keys.ExportSeed();

    /// <summary>Returns the public key.</summary>
    public override string ToString() => PublicKey;

    // The message does not contain the wrong text, because the text may be a secret seed with one wrong letter.
    private static NkeyPair Parse(string seed) => NkeyPair.Find(seed) is { Kind: NkeyKind.User } keys
        ? keys
        : throw new FormatException("The text is not a user seed: it must have 58 base32 characters that begin with SU, with a valid checksum.");
}
