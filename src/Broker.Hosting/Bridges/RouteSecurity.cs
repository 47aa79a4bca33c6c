using Broker.ZeroMq;

namespace Broker.Hosting;

/// <summary>
/// The section <c>Security</c> of a route, or of the bridge for all routes that have none: the command's block <c>security</c>, written as a host
/// writes it. Keys and passwords are in files, which are read with it.
/// </summary>
/// <param name="cryptography">CURVE's; null where the host has none.</param>
/// <param name="resolve">Where relative files begin.</param>
internal sealed class RouteSecurity(ICurveCryptography? cryptography, Func<string, string> resolve)
{
    /// <summary>The key of the section.</summary>
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

    /// <summary>What the section within another says; <paramref name="otherwise"/> without it, and when something of it is wrong, which is a problem then.</summary>
    public SocketSecurity? Read(RouteSection parent, SocketSecurity? otherwise) => parent.ReadSection(Key, section => Read((RouteSection)section) ?? SocketSecurity.None) ?? otherwise;

    private SocketSecurity? PlainClient(RouteSection section)
    {
        string? password = File(section, PasswordFile, "a password", SocketSecurity.ReadPassword, isNeeded: true);
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
            section.Problem(User, $"it and what {PasswordFile} has must be at most 255 octets each");
            return null;
        }
    }

    // What is no file may be the secret itself in the place of its file, and is not shown.
    private T? File<T>(RouteSection section, string key, string what, Func<string, T> read, bool isNeeded)
        where T : class
    {
        if (section.ReadText(key) is not { } file)
        {
            if (isNeeded)
            {
                section.Problem(key, $"it must be said: a file with {what}");
            }

            return null;
        }

        T? result = SocketSecurity.TryRead(resolve(file), read, out string? wrong);
        if (result is null)
        {
            section.Problem(key, $"{(Path.Exists(resolve(file)) ? $"\"{file}\"" : "what it says")} is not a file with {what} ({wrong})");
        }

        return result;
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
                section.Problem(Role, $"the mechanism {mechanism} needs the bridge's part in it: server or client");
                break;
            case ("null", _):
                section.Problem(Role, "the mechanism null has none");
                break;
            default:
                section.Problem(Mechanism, "it must be said: null, plain or curve");
                break;
        }

        // One problem, and not that the others are for nothing.
        foreach (string key in AllKeys)
        {
            section.ReadText(key);
        }

        return null;
    }

    private SocketSecurity? CurveServer(RouteSection section, ICurveCryptography cryptography)
    {
        CurveKeyPair? keys = File(section, SecretKeyFile, "the bridge's secret key", file => CurveKeyFile.ReadPair(cryptography, file), isNeeded: true);
        HashSet<CurveKey>? clients = File(section, Clients, "the public keys of clients", CurveKeyFile.ReadMany, isNeeded: false);
        return keys is null ? null : SocketSecurity.CurveServer(keys, clients);
    }

    private SocketSecurity? CurveClient(RouteSection section, ICurveCryptography cryptography)
    {
        CurveKey? server = File(section, ServerKeyFile, "the server's public key", CurveKeyFile.ReadPublic, isNeeded: true);
        CurveKeyPair? own = File(section, SecretKeyFile, "the bridge's secret key", file => CurveKeyFile.ReadPair(cryptography, file), isNeeded: false);
        return server is null ? null : SocketSecurity.CurveClient(cryptography, own, server);
    }
}
