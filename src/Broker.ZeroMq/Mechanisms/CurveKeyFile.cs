using Broker.Transport;

namespace Broker.ZeroMq;

/// <summary>
/// Reads CURVE keys from files. A file contains the 40 characters of a key and nothing else, or it is a certificate in
/// the format of czmq and pyzmq, with lines such as <c>public-key = "..."</c>. No exception shows a file's content.
/// Thread-safe. Each call reads the file and blocks until the file is read, for at most 10 s. A file with one key may
/// have up to 65,536 characters, and a file with many keys may have up to 4,194,304 characters.
/// </summary>
public static class CurveKeyFile
{
    private const int KeyLength = 40;
    private const int MaxKeyFile = 64 * 1024;
    private const int MaxKeysFile = 4 * 1024 * 1024;
    private const string PublicName = "public-key";
    private const string SecretName = "secret-key";

    /// <summary>Reads a secret key and computes its public key.</summary>
    /// <param name="cryptography">Computes the public key. The key pair keeps a reference to this object.</param>
    /// <param name="file">The file's path.</param>
    /// <exception cref="FormatException">
    /// The file has no secret key, or its public key does not match its secret key. The message is a phrase to be
    /// written after the file's name, for example "it has a public key but no secret key".
    /// </exception>
    /// <exception cref="IOException">The file cannot be read.</exception>
    /// <exception cref="UnauthorizedAccessException">The process may not read the file.</exception>
    public static CurveKeyPair ReadPair(ICurveCryptography cryptography, string file)
    {
        string text = Read(file, MaxKeyFile).Trim();
        string secret = Key(text, SecretName)
            ?? throw new FormatException(
            Key(text, PublicName) is null ? "it has no key of 40 characters (Z85)" : "it has a public key but no secret key");
        CurveKeyPair pair;
        try
        {
            pair = CurveKeyPair.Parse(cryptography, secret);
        }
        catch (FormatException e)
        {
            throw new FormatException("its key is not valid: it must have 40 characters of Z85", e);
        }

        return InCertificate(text, PublicName) is { } shown && !string.Equals(shown, pair.PublicKey.ToString(), StringComparison.Ordinal)
            ? throw new FormatException("its public key does not match its secret key")
            : pair;
    }

    /// <summary>Reads a public key.</summary>
    /// <param name="file">The file's path.</param>
    /// <exception cref="FormatException">
    /// The file has no public key. The message is a phrase to be written after the file's name.
    /// </exception>
    /// <exception cref="IOException">The file cannot be read.</exception>
    /// <exception cref="UnauthorizedAccessException">The process may not read the file.</exception>
    public static CurveKey ReadPublic(string file)
        => CurveKey.TryParse(Key(Read(file, MaxKeyFile).Trim(), PublicName), out CurveKey? key)
            ? key
            : throw new FormatException("it has no public key of 40 characters (Z85)");

    /// <summary>
    /// Reads any number of public keys: from all files <c>*.key</c> of a folder, or from the lines of a file. A line
    /// that begins with <c>#</c> and is not a key is a comment. Text behind a key is a comment too.
    /// </summary>
    /// <param name="path">The path of the folder or of the file.</param>
    /// <returns>The set of keys, which the caller owns. The set is empty if there are no keys.</returns>
    /// <exception cref="FormatException">
    /// A file of the folder has no public key, or a line of the file begins with neither a key nor <c>#</c>. The
    /// message names the file of the folder, or the line.
    /// </exception>
    /// <exception cref="IOException">A file cannot be read.</exception>
    /// <exception cref="UnauthorizedAccessException">The process may not read a file.</exception>
    public static IReadOnlySet<CurveKey> ReadMany(string path)
    {
        if (Directory.Exists(path))
        {
            return Directory.EnumerateFiles(path, "*.key").Select(OfFolder).ToHashSet();
        }

        var keys = new HashSet<CurveKey>();
        int number = 0;
        foreach (string line in Read(path, MaxKeysFile).Split('\n'))
        {
            number++;
            string first = line.Split([' ', '\t', '\r'], 2, StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries).FirstOrDefault("");
            if (CurveKey.TryParse(first, out CurveKey? key))
            {
                keys.Add(key);
            }
            else if (first.Length > 0 && first[0] != '#')
            {
                throw new FormatException($"its line {number} does not begin with a key of 40 characters (Z85)");
            }
        }

        return keys;
    }

    private static string Read(string file, int maxCharacters)
    {
        try
        {
            return BoundedFile.ReadText(file, maxCharacters);
        }
        catch (InvalidDataException e)
        {
            throw new FormatException("it " + e.Message, e);
        }
    }

    private static CurveKey OfFolder(string file)
    {
        try
        {
            return ReadPublic(file);
        }
        catch (FormatException e)
        {
            throw new FormatException($"{Path.GetFileName(file)}: {e.Message}", e);
        }
    }

    // A file of exactly 40 characters is a key. A certificate is longer.
    private static string? Key(string text, string name) => text.Length == KeyLength ? text : InCertificate(text, name);

    private static string? InCertificate(string text, string name)
    {
        foreach (string line in text.Split('\n'))
        {
            string[] parts = line.Split('=', 2, StringSplitOptions.TrimEntries);
            if (parts.Length == 2 && string.Equals(parts[0], name, StringComparison.Ordinal))
            {
                return parts[1].Trim('"');
            }
        }

        return null;
    }
}
