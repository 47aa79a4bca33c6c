using System.Security.Cryptography;
using System.Text;
using Broker.ZeroMq;

namespace Broker.Bridge;

/// <summary>
/// The security of a route's ZeroMQ sockets, as a configuration file describes it: the mechanism, the bridge's role in
/// it, and which peers are admitted. Immutable and thread-safe.
/// </summary>
public sealed class SocketSecurity
{
    private readonly ZeroMqSecurity _mechanism;
    private readonly Func<ZeroMqCredentials, ValueTask<ZeroMqAdmission>>? _authenticate;

    private SocketSecurity(
        ZeroMqSecurity mechanism, Func<ZeroMqCredentials, ValueTask<ZeroMqAdmission>>? authenticate, string definition)
    {
        _mechanism = mechanism;
        _authenticate = authenticate;
        Definition = definition;
    }

    /// <summary>The mechanism NULL, for a route that overrides the security of other routes.</summary>
    public static SocketSecurity None { get; } = new(ZeroMqSecurity.Null, null, "");

    /// <summary>
    /// A text that is equal for equal settings and equal file contents, and that reveals no secrets. A reload compares
    /// it to find changes.
    /// </summary>
    public string Definition { get; }

    /// <summary>CURVE with the bridge as the server.</summary>
    /// <param name="keys">The bridge's key pair.</param>
    /// <param name="clients">
    /// The public keys of admitted clients; null admits every client that knows the server's public key. The set is
    /// read on event loops for as long as a route uses it, so it must not change.
    /// </param>
    public static SocketSecurity CurveServer(CurveKeyPair keys, IReadOnlySet<CurveKey>? clients)
    {
        ArgumentNullException.ThrowIfNull(keys);
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
    /// The bridge's key pair; null generates one, which is not part of <see cref="Definition"/>.
    /// </param>
    /// <param name="server">The public key of the programs.</param>
    public static SocketSecurity CurveClient(ICurveCryptography cryptography, CurveKeyPair? own, CurveKey server)
    {
        ArgumentNullException.ThrowIfNull(server);
        return new SocketSecurity(
            ZeroMqSecurity.CurveClient(own ?? CurveKeyPair.Generate(cryptography), server), null, $"curve client {server} {own?.PublicKey}");
    }

    /// <summary>
    /// PLAIN with the bridge as the server. The file contains a line <c>user:password</c> for each admitted user. Empty
    /// lines and lines that begin with <c>#</c> are ignored. The passwords are kept as hashes.
    /// </summary>
    /// <param name="file">The file's path. The file is read before the method returns.</param>
    /// <exception cref="FormatException">
    /// A line is wrong, or the file has no users. The message does not show the file's content.
    /// </exception>
    /// <exception cref="IOException">The file cannot be read.</exception>
    /// <exception cref="UnauthorizedAccessException">The process may not read the file.</exception>
    public static SocketSecurity PlainServer(string file)
    {
        string users = SecurityFile.ReadUsers(file);
        return new(ZeroMqSecurity.PlainServer, PlainUsers.Parse(users).AuthenticateAsync, $"plain server {HashOf(Encoding.UTF8.GetBytes(users))}");
    }

    /// <summary>PLAIN with the ZeroMQ programs as the servers.</summary>
    /// <param name="user">The user name, at most 255 bytes of UTF-8.</param>
    /// <param name="password">The password, at most 255 bytes of UTF-8.</param>
    /// <exception cref="ArgumentException">The user name or the password is too long.</exception>
    public static SocketSecurity PlainClient(string user, string password)
        => new(ZeroMqSecurity.PlainClient(user, password), null, $"plain client {user.Length} {user} {HashOf(Encoding.UTF8.GetBytes(password))}");

    /// <summary>
    /// Returns a copy of the options with this security: <see cref="RouteOptions.Security"/> and
    /// <see cref="RouteOptions.Authenticate"/>.
    /// </summary>
    /// <typeparam name="T">The options of a pattern.</typeparam>
    /// <param name="options">The options of a route, which are not changed.</param>
    public T ApplyTo<T>(T options)
        where T : RouteOptions
    {
        ArgumentNullException.ThrowIfNull(options);
        return (T)((RouteOptions)options with { Security = _mechanism, Authenticate = _authenticate });
    }

    /// <summary>Returns the mechanism's name and the bridge's role, but no secret.</summary>
    public override string ToString() => _mechanism.ToString();

    private static string HashOf(byte[] bytes) => Convert.ToHexStringLower(SHA256.HashData(bytes));
}
