using System.Security.Cryptography;
using System.Text;
using Broker.ZeroMq;

namespace Broker.Hosting;

/// <summary>Who is admitted by PLAIN: a file with <c>user:password</c> in each line. Passwords are kept as hashes and shown by no message.</summary>
internal sealed class PlainUsers
{
    private readonly Dictionary<string, byte[]> _passwords = new(StringComparer.Ordinal);

    private PlainUsers()
    {
    }

    /// <summary>Reads a file; empty lines and those that begin with <c>#</c> are for people.</summary>
    /// <exception cref="FormatException">A line is wrong, or there is nobody in it.</exception>
    /// <exception cref="IOException">The file cannot be read.</exception>
    /// <exception cref="UnauthorizedAccessException">It may not be read.</exception>
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
                throw new FormatException($"its line {number} has a user who was there before");
            }
        }

        return users._passwords.Count > 0 ? users : throw new FormatException("there is nobody in it");
    }

    /// <summary>Any thread.</summary>
    public ValueTask<ZeroMqAdmission> AuthenticateAsync(ZeroMqCredentials shown) => ValueTask.FromResult(
        _passwords.TryGetValue(shown.Username ?? "", out byte[]? password)
            && CryptographicOperations.FixedTimeEquals(password, Hash(shown.Password ?? ""))
            ? ZeroMqAdmission.Admit(shown.Username!)
            : ZeroMqAdmission.Refuse("its user and password are not known"));

    private static byte[] Hash(string password) => SHA256.HashData(Encoding.UTF8.GetBytes(password));
}
