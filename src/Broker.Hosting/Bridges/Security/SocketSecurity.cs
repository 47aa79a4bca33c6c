using System.Security.Cryptography;
using System.Text;
using Broker.Bridge;
using Broker.ZeroMq;

namespace Broker.Hosting;

/// <summary>The security of a route's ZeroMQ sockets, with the keys that its files held.</summary>
/// <param name="Mechanism">The mechanism and the bridge's part in it.</param>
/// <param name="Authenticate">Who is admitted; null for everybody whose own proof holds.</param>
/// <param name="Definition">The same for two that are alike, also in what the files held, which it does not show; for comparison alone.</param>
internal sealed record SocketSecurity(
    ZeroMqSecurity Mechanism, Func<ZeroMqCredentials, ValueTask<ZeroMqAdmission>>? Authenticate, string Definition)
{
    /// <summary>None, where another was to be had.</summary>
    public static SocketSecurity None => new(ZeroMqSecurity.Null, null, "");

    /// <summary>The bridge is CURVE's server.</summary>
    /// <param name="keys">Its own.</param>
    /// <param name="clients">Who is admitted; null for whoever knows its public key.</param>
    public static SocketSecurity CurveServer(CurveKeyPair keys, HashSet<CurveKey>? clients)
    {
        string admitted = clients is null ? "everybody" : string.Join(' ', clients.Select(static key => key.ToString()).Order(StringComparer.Ordinal));
        return new SocketSecurity(
            ZeroMqSecurity.CurveServer(keys),
            clients is null ? null : shown => ValueTask.FromResult(
                shown.PublicKey is { } key && clients.Contains(key) ? ZeroMqAdmission.Admit(key.ToString()) : ZeroMqAdmission.Refuse("its key is not known")),
            $"curve server {keys.PublicKey} {admitted}");
    }

    /// <summary>The programs are CURVE's servers.</summary>
    /// <param name="cryptography">What makes the bridge's keys where it has none.</param>
    /// <param name="own">The bridge's; null for new ones, which are others at each reading and not a change.</param>
    /// <param name="server">The programs' public key.</param>
    public static SocketSecurity CurveClient(ICurveCryptography cryptography, CurveKeyPair? own, CurveKey server) => new(
        ZeroMqSecurity.CurveClient(own ?? CurveKeyPair.Generate(cryptography), server), null, $"curve client {server} {own?.PublicKey}");

    /// <summary>The bridge is PLAIN's server. For <see cref="TryRead"/>.</summary>
    public static SocketSecurity PlainServer(string file) =>
        new(ZeroMqSecurity.PlainServer, PlainUsers.Read(file).AuthenticateAsync, $"plain server {HashOf(File.ReadAllBytes(file))}");

    /// <summary>The programs are PLAIN's servers.</summary>
    /// <exception cref="ArgumentException">One of the two has more than 255 octets.</exception>
    public static SocketSecurity PlainClient(string user, string password) =>
        new(ZeroMqSecurity.PlainClient(user, password), null, $"plain client {user.Length} {user} {HashOf(Encoding.UTF8.GetBytes(password))}");

    /// <summary>A password: a file without the end of its line. For <see cref="TryRead"/>.</summary>
    public static string ReadPassword(string file) => File.ReadAllText(file).TrimEnd('\r', '\n');

    /// <summary>Reads a file of a setting.</summary>
    /// <param name="file">It.</param>
    /// <param name="read">How; what it throws says what is wrong with the file and nothing of what it holds.</param>
    /// <param name="wrong">Why there is no result.</param>
    public static T? TryRead<T>(string file, Func<string, T> read, out string? wrong)
        where T : class
    {
        wrong = null;
        try
        {
            return read(file);
        }
        catch (FormatException e)
        {
            wrong = e.Message;
        }
        catch (UnauthorizedAccessException)
        {
            wrong = "it may not be read";
        }
        catch (Exception e) when (e is IOException or ArgumentException or NotSupportedException)
        {
            wrong = File.Exists(file) ? "it cannot be read" : "there is no such file";
        }

        return null;
    }

    /// <summary>A route's options with this security.</summary>
    public T Over<T>(T options)
        where T : RouteOptions
        => (T)((RouteOptions)options with { Security = Mechanism, Authenticate = Authenticate });

    /// <summary>What a log may show.</summary>
    public override string ToString() => Mechanism.ToString();

    private static string HashOf(byte[] bytes) => Convert.ToHexStringLower(SHA256.HashData(bytes));
}
