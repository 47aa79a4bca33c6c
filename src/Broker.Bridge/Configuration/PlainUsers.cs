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

    /// <summary>Reads the file. Empty lines and lines that begin with <c>#</c> are ignored.</summary>
    /// <exception cref="FormatException">A line is wrong, or the file has no users.</exception>
    /// <exception cref="IOException">The file cannot be read.</exception>
    /// <exception cref="UnauthorizedAccessException">The process may not read the file.</exception>
    public static PlainUsers Read(string file)
    {
        var users = new PlainUsers();
        int number = 0;
        foreach (string line in File.ReadLines(file))
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

        return users._passwords.Count > 0 ? users : throw new FormatException("there is nobody in it");
    }

    /// <summary>Checks a user and a password. Thread-safe.</summary>
    public ValueTask<ZeroMqAdmission> AuthenticateAsync(ZeroMqCredentials shown) => ValueTask.FromResult(
        _passwords.TryGetValue(shown.Username ?? "", out byte[]? password)
            && CryptographicOperations.FixedTimeEquals(password, Hash(shown.Password ?? ""))
            ? ZeroMqAdmission.Admit(shown.Username!)
            : ZeroMqAdmission.Refuse("user or password is wrong"));

    private static byte[] Hash(string password) => SHA256.HashData(Encoding.UTF8.GetBytes(password));
}
