using Broker.Bridge;
using Broker.ZeroMq;

namespace Broker.Hosting;

/// <summary>
/// Reads the section <c>Security</c> of a route, or of the bridge for all routes that have none. It corresponds to the
/// block <c>security</c> in the command's configuration. Keys and passwords are in files, which are read together with
/// the section.
/// </summary>
/// <param name="cryptography">The cryptography for CURVE; null if the host has no such service.</param>
/// <param name="resolve">Makes a relative file name absolute.</param>
internal sealed class RouteSecurity(ICurveCryptography? cryptography, Func<string, string> resolve)
{
    /// <summary>The key of the section <c>Security</c>.</summary>
    public const string Key = "Security";

    private const string Mechanism = "Mechanism";
    private const string Role = "Role";
    private const string SecretKeyFile = "SecretKeyFile";
    private const string Clients = "Clients";
    private const string ServerKeyFile = "ServerKeyFile";
    private const string UsersFile = "UsersFile";
    private const string User = "User";
    private const string PasswordFile = "PasswordFile";

    private static readonly string[] AllKeys = [Mechanism, Role, SecretKeyFile, Clients, ServerKeyFile, UsersFile, User, PasswordFile];

    /// <summary>
    /// Reads the section <c>Security</c> inside another section. Returns <paramref name="otherwise"/> if there is no
    /// such section. A wrong section adds a problem.
    /// </summary>
    public SocketSecurity? Read(RouteSection parent, SocketSecurity? otherwise) => parent.ReadSection(Key, section => Read((RouteSection)section) ?? SocketSecurity.None) ?? otherwise;

    private SocketSecurity? PlainClient(RouteSection section)
    {
        string? password = File(section, PasswordFile, "a password", SecurityFile.ReadPassword, isNeeded: true);
        if (section.ReadText(User) is not { } user)
        {
            section.Problem(User, "a PLAIN client needs it");
            return null;
        }

        try
        {
            return password is null ? null : SocketSecurity.PlainClient(user, password);
        }
        catch (ArgumentException)
        {
            section.Problem(User, $"it and the password in {PasswordFile} must have at most 255 bytes each");
            return null;
        }
    }

    // If the value is not a file's name, it may be the secret itself. So the error shows the value only if the file
    // exists.
    private T? File<T>(RouteSection section, string key, string what, Func<string, T> read, bool isNeeded)
        where T : class
    {
        if (section.ReadText(key) is not { } file)
        {
            if (isNeeded)
            {
                section.Problem(key, $"it is required: a file with {what}");
            }

            return null;
        }

        if (!SecurityFile.TryRead(resolve(file), read, out T? content, out string? reason))
        {
            section.Problem(key, $"{(Path.Exists(resolve(file)) ? $"\"{file}\"" : "its value")} is not a file with {what} ({reason})");
        }

        return content;
    }

    private SocketSecurity? Read(RouteSection section)
    {
        string mechanism = (section.ReadText(Mechanism) ?? "").ToLowerInvariant();
        string? role = section.ReadText(Role)?.ToLowerInvariant();
        switch (mechanism, role)
        {
            case ("null", null):
                return SocketSecurity.None;
            case ("plain", "server"):
                return File(section, UsersFile, "lines of user:password", SocketSecurity.PlainServer, isNeeded: true);
            case ("plain", "client"):
                return PlainClient(section);
            case ("curve", "server" or "client") when cryptography is null:
                section.Problem(Mechanism, $"CURVE needs a service {nameof(ICurveCryptography)}, such as CurveCryptography of Broker.Cryptography");
                break;
            case ("curve", "server"):
                return CurveServer(section, cryptography);
            case ("curve", "client"):
                return CurveClient(section, cryptography);
            case ("plain" or "curve", _):
                section.Problem(Role, $"the mechanism {mechanism} needs the bridge's role: server or client");
                break;
            case ("null", _):
                section.Problem(Role, "the mechanism null has no roles: remove the key");
                break;
            default:
                section.Problem(Mechanism, "it must be null, plain or curve");
                break;
        }

        // The other keys count as read, so that only the wrong mechanism or role is reported, and not the unused keys
        // as well.
        foreach (string key in AllKeys)
        {
            section.ReadText(key);
        }

        return null;
    }

    private SocketSecurity? CurveServer(RouteSection section, ICurveCryptography cryptography)
    {
        CurveKeyPair? keys = File(section, SecretKeyFile, "the bridge's secret key", file => CurveKeyFile.ReadPair(cryptography, file), isNeeded: true);
        IReadOnlySet<CurveKey>? clients = File(section, Clients, "the public keys of clients", CurveKeyFile.ReadMany, isNeeded: false);
        return keys is null ? null : SocketSecurity.CurveServer(keys, clients);
    }

    private SocketSecurity? CurveClient(RouteSection section, ICurveCryptography cryptography)
    {
        CurveKey? server = File(section, ServerKeyFile, "the server's public key", CurveKeyFile.ReadPublic, isNeeded: true);
        CurveKeyPair? own = File(section, SecretKeyFile, "the bridge's secret key", file => CurveKeyFile.ReadPair(cryptography, file), isNeeded: false);
        return server is null ? null : SocketSecurity.CurveClient(cryptography, own, server);
    }
}
