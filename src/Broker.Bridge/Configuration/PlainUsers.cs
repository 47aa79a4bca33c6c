using System.Security.Cryptography;
using System.Text;
using Broker.ZeroMq;

namespace Broker.Bridge;

/// <summary>
/// The users that PLAIN admits, from a file with <c>user:password</c> in each line. Passwords are stored as hashes, and
/// no message shows them.
/// </summary>
internal sealed class PlainUsers
{
    private readonly Dictionary<string, byte[]> _passwords = new(StringComparer.Ordinal);

    private PlainUsers()
    {
    }

    /// <summary>Reads the users. Empty lines and lines that begin with <c>#</c> are ignored.</summary>
    /// <exception cref="FormatException">A line is wrong, or there are no users.</exception>
    public static PlainUsers Parse(string text)
    {
        var users = new PlainUsers();
        int number = 0;
        using var lines = new StringReader(text);
        while (lines.ReadLine() is { } line)
        {
            number++;
            if (line.Length == 0 || line[0] == '#')
            {
                continue;
            }

            int colon = line.IndexOf(':', StringComparison.Ordinal);
            if (colon < 1 || colon == line.Length - 1)
            {
                throw new FormatException($"its line {number} is not user:password");
            }

            if (!users._passwords.TryAdd(line[..colon], Hash(line[(colon + 1)..])))
            {
                throw new FormatException($"its line {number} repeats a user of an earlier line");
            }
        }

        return users._passwords.Count > 0 ? users : throw new FormatException("it contains no user");
    }

    /// <summary>Checks a user and a password. Thread-safe.</summary>
    public ValueTask<ZeroMqAdmission> AuthenticateAsync(ZeroMqCredentials shown) => ValueTask.FromResult(
        _passwords.TryGetValue(shown.Username ?? "", out byte[]? password)
            && CryptographicOperations.FixedTimeEquals(password, Hash(shown.Password ?? ""))
            ? ZeroMqAdmission.Admit(shown.Username!)
            : ZeroMqAdmission.Refuse("user or password is wrong"));

    private static byte[] Hash(string password) => SHA256.HashData(Encoding.UTF8.GetBytes(password));
}
