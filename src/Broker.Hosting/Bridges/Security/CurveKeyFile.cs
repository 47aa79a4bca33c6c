using Broker.ZeroMq;

namespace Broker.Hosting;

/// <summary>
/// Keys of CURVE in files: one that holds the 40 characters of a key and nothing else, or a certificate as czmq and pyzmq write it, with lines
/// such as <c>public-key = "..."</c>. No message shows what a file holds.
/// </summary>
internal static class CurveKeyFile
{
    private const int KeyLength = 40;
    private const string PublicName = "public-key";
    private const string SecretName = "secret-key";

    /// <summary>Reads a secret key and makes the pair of it.</summary>
    /// <exception cref="FormatException">There is none in it, or a public one that is not its.</exception>
    /// <exception cref="IOException">The file cannot be read.</exception>
    /// <exception cref="UnauthorizedAccessException">It may not be read.</exception>
    public static CurveKeyPair ReadPair(ICurveCryptography cryptography, string file)
    {
        string text = File.ReadAllText(file).Trim();
        string secret = Key(text, SecretName)
            ?? throw new FormatException(Key(text, PublicName) is null ? "it has no key of 40 characters (Z85)" : "it has a public key alone");
        CurveKeyPair pair;
        try
        {
            pair = CurveKeyPair.Parse(cryptography, secret);
        }
        catch (FormatException e)
        {
            throw new FormatException("its key is no 40 characters of Z85", e);
        }

        return InCertificate(text, PublicName) is { } shown && !string.Equals(shown, pair.PublicKey.ToString(), StringComparison.Ordinal)
            ? throw new FormatException("its public key is not that of its secret key")
            : pair;
    }

    /// <summary>Reads a public key.</summary>
    /// <inheritdoc cref="ReadPair"/>
    public static CurveKey ReadPublic(string file)
        => CurveKey.TryParse(Key(File.ReadAllText(file).Trim(), PublicName), out CurveKey? key)
            ? key
            : throw new FormatException("it has no public key of 40 characters (Z85)");

    /// <summary>
    /// Reads any number of public keys: of a folder those of all its files <c>*.key</c>, of a file those of its lines. A line that begins with
    /// <c>#</c> and is no key is for people, and so is what stands behind a key.
    /// </summary>
    /// <inheritdoc cref="ReadPair"/>
    public static HashSet<CurveKey> ReadMany(string path)
    {
        if (Directory.Exists(path))
        {
            return [.. Directory.EnumerateFiles(path, "*.key").Select(OfFolder)];
        }

        var keys = new HashSet<CurveKey>();
        int number = 0;
        foreach (string line in File.ReadLines(path))
        {
            number++;
            string first = line.Split([' ', '\t'], 2, StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries).FirstOrDefault("");
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

    // A text of 40 characters is a key, all of it; a certificate is longer.
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
