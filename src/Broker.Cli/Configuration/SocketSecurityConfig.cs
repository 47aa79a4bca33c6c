using Broker.Bridge;
using Broker.Cryptography;
using Broker.ZeroMq;

namespace Broker.Cli.Configuration;

/// <summary>
/// Reads the block <c>security</c> of a route, or of <c>zeromq</c> for all routes without their own. It also reads the
/// files that the block names.
/// </summary>
internal sealed class SocketSecurityConfig(List<ConfigProblem> problems, List<ConfigProblem> warnings)
{
    private static readonly string[] AllKeys = ["secret_key_file", "clients", "server_key_file", "users_file", "user", "password_file"];

    private static readonly CurveCryptography Cryptography = new();

    private enum Part
    {
        Null,
        PlainServer,
        PlainClient,
        CurveServer,
        CurveClient,
    }

    /// <summary>
    /// Reads the block. Returns <paramref name="otherwise"/> if the key is missing or the block has errors.
    /// </summary>
    public SocketSecurity? Read(ConfigSection section, SocketSecurity? otherwise)
    {
        switch (section.Find("security"))
        {
            case null:
                return otherwise;
            case ConfigBlock block:
                int before = problems.Count;
                SocketSecurity? read = Read(new ConfigSection(block, problems, isSecret: true), block);
                return problems.Count == before ? read : otherwise;
            case var value:
                return section.Wrong("security", "a block with a \"mechanism\"", value, otherwise, isSecret: true);
        }
    }

    private SocketSecurity? Read(ConfigSection section, ConfigBlock block)
    {
        if (ReadPart(section, block) is not { } part)
        {
            return null;
        }

        string[] keys = part switch
        {
            Part.CurveServer => ["secret_key_file", "clients"],
            Part.CurveClient => ["server_key_file", "secret_key_file"],
            Part.PlainServer => ["users_file"],
            Part.PlainClient => ["user", "password_file"],
            _ => [],
        };
        foreach (string key in AllKeys.Except(keys, StringComparer.Ordinal).Where(section.Has))
        {
            string valid = keys.Length > 0 ? ", which has " + string.Join(" and ", keys) : "";
            problems.Add(new ConfigProblem($"\"{key}\" is not valid for {Name(part)}{valid}", section.Find(key)!.Position));
        }

        SocketSecurity? read = part switch
        {
            Part.CurveServer => CurveServer(section, block),
            Part.CurveClient => CurveClient(section, block),
            Part.PlainServer => PlainServer(section, block),
            Part.PlainClient => PlainClient(section, block),
            _ => SocketSecurity.None,
        };
        section.RejectTheRest();
        return read;
    }

    private Part? ReadPart(ConfigSection section, ConfigBlock block)
    {
        if (!section.Has("mechanism"))
        {
            problems.Add(new ConfigProblem(
                "\"security\" needs a \"mechanism\": null, plain or curve", block.Position, null, ["mechanism", "role", .. AllKeys]));
            return null;
        }

        int before = problems.Count;
        string mechanism = section.Choice("mechanism", "", ("null", "null"), ("plain", "plain"), ("curve", "curve"));
        bool? isServer = section.Choice<bool?>("role", null, ("server", true), ("client", false));
        if (problems.Count > before)
        {
            return null;
        }

        if ((mechanism == "null") != (isServer is null))
        {
            problems.Add(new ConfigProblem(
                isServer is null
                    ? $"the mechanism {mechanism} needs the \"role\" of the bridge: server or client"
                    : "the mechanism null has no \"role\"",
                block.Position));
            return null;
        }

        return (mechanism, isServer) switch
        {
            ("plain", true) => Part.PlainServer,
            ("plain", _) => Part.PlainClient,
            ("curve", true) => Part.CurveServer,
            ("curve", _) => Part.CurveClient,
            _ => Part.Null,
        };
    }

    private SocketSecurity? CurveServer(ConfigSection section, ConfigBlock block)
    {
        CurveKeyPair? keys = FromFile(section, block, "secret_key_file", "the bridge's secret key", ReadPair, isNeeded: true);
        IReadOnlySet<CurveKey>? clients = FromFile(section, block, "clients", "the public keys of clients", CurveKeyFile.ReadMany, isNeeded: false);
        if (clients is { Count: 0 })
        {
            warnings.Add(new ConfigProblem("\"clients\" contains no public key, so no client can connect", section.Find("clients")!.Position));
        }

        return keys is null ? null : SocketSecurity.CurveServer(keys, clients);
    }

    private SocketSecurity? CurveClient(ConfigSection section, ConfigBlock block)
    {
        CurveKey? server = FromFile(section, block, "server_key_file", "the server's public key", CurveKeyFile.ReadPublic, isNeeded: true);
        CurveKeyPair? own = FromFile(section, block, "secret_key_file", "the bridge's secret key", ReadPair, isNeeded: false);
        return server is null ? null : SocketSecurity.CurveClient(Cryptography, own, server);
    }

    private SocketSecurity? PlainServer(ConfigSection section, ConfigBlock block)
        => FromFile(section, block, "users_file", "lines of user:password", SocketSecurity.PlainServer, isNeeded: true);

    private SocketSecurity? PlainClient(ConfigSection section, ConfigBlock block)
    {
        string? password = FromFile(section, block, "password_file", "a password", SecurityFile.ReadPassword, isNeeded: true);
        if (section.Text("user", null) is not { } user)
        {
            problems.Add(new ConfigProblem("a PLAIN client needs \"user\"", block.Position));
            return null;
        }

        try
        {
            return password is null ? null : SocketSecurity.PlainClient(user, password);
        }
        catch (ArgumentException)
        {
            problems.Add(new ConfigProblem("\"user\" and the password in \"password_file\" must each have at most 255 bytes", block.Position));
            return null;
        }
    }

    // A text that is not an existing file may be the secret itself, so it is not shown.
    private T? FromFile<T>(ConfigSection section, ConfigBlock block, string key, string what, Func<string, T> read, bool isNeeded)
        where T : class
    {
        switch (section.Find(key))
        {
            case null:
                if (isNeeded)
                {
                    problems.Add(new ConfigProblem($"\"security\" needs \"{key}\", a file with {what}", block.Position));
                }

                return null;
            case ConfigText { Value: var file } value:
                return SecurityFile.TryRead(file, read, out T? content, out string? reason)
                    ? content
                    : section.Wrong<T?>(key, $"a file with {what} ({reason})", value, null, isSecret: !Path.Exists(file));
            case var value:
                return section.Wrong<T?>(key, $"a file with {what}", value, null, isSecret: true);
        }
    }

    private static CurveKeyPair ReadPair(string file) => CurveKeyFile.ReadPair(Cryptography, file);

    private static string Name(Part part) => part switch
    {
        Part.CurveServer => "a CURVE server",
        Part.CurveClient => "a CURVE client",
        Part.PlainServer => "a PLAIN server",
        Part.PlainClient => "a PLAIN client",
        _ => "the mechanism null",
    };
}
