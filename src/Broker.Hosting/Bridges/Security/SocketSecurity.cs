using System.Security.Cryptography;
using System.Text;
using Broker.Bridge;
using Broker.ZeroMq;

namespace Broker.Hosting;

/// <summary>The security of a route's ZeroMQ sockets, with the keys from its files.</summary>
/// <param name="Mechanism">The mechanism and the bridge's role in it.</param>
/// <param name="Authenticate">
/// Decides which peers are admitted; null admits every peer that the mechanism accepts.
/// </param>
/// <param name="Definition">
/// A text that is equal for equal settings and equal file contents. It does not reveal secrets. Only a reload uses it,
/// to compare.
/// </param>
internal sealed record SocketSecurity(
    ZeroMqSecurity Mechanism, Func<ZeroMqCredentials, ValueTask<ZeroMqAdmission>>? Authenticate, string Definition)
{
    /// <summary>The mechanism NULL, for a route that overrides the bridge's security.</summary>
    public static SocketSecurity None => new(ZeroMqSecurity.Null, null, "");

    /// <summary>CURVE with the bridge as the server.</summary>
    /// <param name="keys">The bridge's key pair.</param>
    /// <param name="clients">
    /// The public keys of admitted clients; null admits every client that knows the server's public key.
    /// </param>
    public static SocketSecurity CurveServer(CurveKeyPair keys, HashSet<CurveKey>? clients)
    {
        string admitted = clients is null ? "everybody" : string.Join(' ', clients.Select(static key => key.ToString()).Order(StringComparer.Ordinal));
        return new SocketSecurity(
            ZeroMqSecurity.CurveServer(keys),
            clients is null ? null : shown => ValueTask.FromResult(
                shown.PublicKey is { } key && clients.Contains(key) ? ZeroMqAdmission.Admit(key.ToString()) : ZeroMqAdmission.Refuse("its key is not known")),
            $"curve server {keys.PublicKey} {admitted}");
    }

    /// <summary>CURVE with the ZeroMQ programs as the servers.</summary>
    /// <param name="cryptography">Generates the bridge's key pair if <paramref name="own"/> is null.</param>
    /// <param name="own">
    /// The bridge's key pair; null generates one. A reload does not treat a generated pair as a change.
    /// </param>
    /// <param name="server">The public key of the programs.</param>
    public static SocketSecurity CurveClient(ICurveCryptography cryptography, CurveKeyPair? own, CurveKey server) => new(
        ZeroMqSecurity.CurveClient(own ?? CurveKeyPair.Generate(cryptography), server), null, $"curve client {server} {own?.PublicKey}");

    /// <summary>PLAIN with the bridge as the server. Used by <see cref="TryRead"/>.</summary>
    public static SocketSecurity PlainServer(string file) =>
        new(ZeroMqSecurity.PlainServer, PlainUsers.Read(file).AuthenticateAsync, $"plain server {HashOf(File.ReadAllBytes(file))}");

    /// <summary>PLAIN with the ZeroMQ programs as the servers.</summary>
    /// <exception cref="ArgumentException">The user or the password has more than 255 bytes.</exception>
    public static SocketSecurity PlainClient(string user, string password) =>
        new(ZeroMqSecurity.PlainClient(user, password), null, $"plain client {user.Length} {user} {HashOf(Encoding.UTF8.GetBytes(password))}");

    /// <summary>Reads a password from a file, without the line end. Used by <see cref="TryRead"/>.</summary>
    public static string ReadPassword(string file) => File.ReadAllText(file).TrimEnd('\r', '\n');

    /// <summary>Reads a file that a setting names.</summary>
    /// <param name="file">The file's path.</param>
    /// <param name="read">
    /// Reads the file. Its exceptions say what is wrong and do not contain the file's content.
    /// </param>
    /// <param name="wrong">The reason, if the method returns false.</param>
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

    /// <summary>Returns the route's options with this security.</summary>
    public T Over<T>(T options)
        where T : RouteOptions
        => (T)((RouteOptions)options with { Security = Mechanism, Authenticate = Authenticate });

    /// <summary>A text without secrets, for logs.</summary>
    public override string ToString() => Mechanism.ToString();

    private static string HashOf(byte[] bytes) => Convert.ToHexStringLower(SHA256.HashData(bytes));
}
