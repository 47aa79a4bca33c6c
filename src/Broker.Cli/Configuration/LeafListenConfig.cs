using System.Net;
using Broker.Leaf;
using Broker.Server;

namespace Broker.Cli.Configuration;

/// <summary>
/// Reads the keys of <c>leafnodes</c> by which other servers join the broker: the address, the users and TLS.
/// </summary>
internal sealed class LeafListenConfig(List<ConfigProblem> problems, List<ConfigProblem> warnings)
{
    /// <summary>Returns the options; null if the block has no port.</summary>
    public LeafListenOptions? Read(ConfigSection section, ServeSettings settings)
    {
        IPEndPoint? endPoint = EndPoint(section);
        var defaults = new LeafListenOptions();
        TimeSpan timeout = defaults.AuthTimeout;
        IReadOnlyList<PeerUser> users = [];
        string key = section.Has("authorization") ? "authorization" : "authentication";
        switch (section.Find(key))
        {
            case null:
                break;
            case ConfigBlock block:
                users = Users(block, settings, ref timeout);
                break;
            case var value:
                section.Wrong(key, "a block", value, users);
                break;
        }

        LeafListenOptions options = defaults with
        {
            EndPoint = endPoint ?? defaults.EndPoint,
            Users = users,
            AuthTimeout = timeout,
            Tls = Tls(section),
            Advertise = Advertise(section),
        };
        section.AllowOff("compression", isOffIfEmpty: false);
        if (endPoint is not null)
        {
            return options;
        }

        WarnWithoutPort(section);
        return null;
    }

    // nats-server accepts these keys without a port too. Whoever writes them expects that servers can join.
    private void WarnWithoutPort(ConfigSection section)
    {
        foreach (string key in (string[])["authorization", "authentication", "tls", "advertise"])
        {
            if (section.Find(key) is { } found && section.Find("port") is null && section.Find("listen") is null)
            {
                warnings.Add(new ConfigProblem($"\"{key}\" of \"leafnodes\" has no effect without \"port\" or \"listen\"", found.Position));
            }
        }
    }

    // As in nats-server, port 0 means no listener, and -1 takes a free port.
    private static IPEndPoint? EndPoint(ConfigSection section)
    {
        string host = section.Host("host", null) ?? section.Host("net", "0.0.0.0")!;
        int? port = section.Find("port") is null ? null : (int)section.Whole("port", 0, -1, IPEndPoint.MaxPort);
        switch (section.Find("listen"))
        {
            case null:
                break;
            case ConfigInteger { Value: >= -1 and <= IPEndPoint.MaxPort } number:
                port = (int)number.Value;
                break;
            case ConfigText text when ListenAddress.ParseOrNull(text.Value) is { } both:
                (host, port) = (both.Host, both.Port == 0 ? -1 : both.Port);
                break;
            case var value:
                section.Wrong<object?>("listen", $"a port, or {ListenAddress.Shape}", value, null);
                break;
        }

        if (port is null or 0)
        {
            return null;
        }

        IPAddress? address = host == "*" ? IPAddress.IPv6Any
            : IPAddress.TryParse(host, out IPAddress? ip) ? ip
            : host == "localhost" ? IPAddress.Loopback : null;
        if (address is null)
        {
            string key = section.Has("listen") ? "listen" : section.Has("host") ? "host" : "net";
            section.Wrong<object?>(key, "an IP address, localhost, or * for all addresses", section.Find(key)!, null);
            return null;
        }

        return new IPEndPoint(address, Math.Max(0, port.Value));
    }

    private List<PeerUser> Users(ConfigBlock block, ServeSettings settings, ref TimeSpan timeout)
    {
        var section = new ConfigSection(block, problems, isSecret: true);
        timeout = SecurityConfig.Seconds(section, "timeout", timeout);
        PeerUser? only = User(section, block, settings, isRequired: false);
        var users = new List<PeerUser>();
        switch (section.Find("users"))
        {
            case null:
                break;
            case ConfigArray array:
                foreach (ConfigValue item in array.Items)
                {
                    if (item is ConfigBlock inner)
                    {
                        var one = new ConfigSection(inner, problems, isSecret: true);
                        if (User(one, inner, settings, isRequired: true) is { } user)
                        {
                            users.Add(user);
                        }

                        one.RejectTheRest(UnsupportedKeys.OfUser);
                    }
                    else
                    {
                        section.Wrong("users", "an array of blocks", item, users);
                    }
                }

                break;
            case var value:
                section.Wrong("users", "an array of blocks", value, users);
                break;
        }

        section.RejectTheRest(UnsupportedKeys.OfAuthorization);
        if (only is not null && users.Count != 0)
        {
            problems.Add(new ConfigProblem("\"user\" and \"users\" cannot be combined", block.Position));
        }

        if (users.GroupBy(static u => u.User.Name, StringComparer.Ordinal).FirstOrDefault(static g => g.Count() > 1) is { } twice)
        {
            problems.Add(new ConfigProblem($"there are two users \"{twice.Key}\"", block.Position));
        }

        return only is not null ? [only] : users;
    }

    private PeerUser? User(ConfigSection section, ConfigBlock block, ServeSettings settings, bool isRequired)
    {
        string? name = section.Text("user", null) ?? section.Text("username", null);
        string? password = section.Text("password", null) ?? section.Text("pass", null);
        string? key = section.Text("nkey", null);
        string? account = LeafRemoteConfig.Account(section, "account", settings);
        if (name is null && password is null && key is null && !isRequired)
        {
            return null;
        }

        if (BcryptText.IsBroken(password ?? ""))
        {
            problems.Add(new ConfigProblem($"\"password\" {BcryptText.Problem}", block.Position));
            return null;
        }

        try
        {
            return key is not null && name is null && password is null ? new PeerUser(Broker.Server.User.WithKey(key), account)
                : key is null && !string.IsNullOrEmpty(name) && !string.IsNullOrEmpty(password) ? new PeerUser(new User(name, password), account)
                : Lacks(block);
        }
        catch (ArgumentException)
        {
            problems.Add(new ConfigProblem("\"nkey\" must be a public user key: 56 characters that begin with 'U'", block.Position));
            return null;
        }
    }

    private PeerUser? Lacks(ConfigBlock block)
    {
        problems.Add(new ConfigProblem("a user of \"leafnodes\" must have a \"user\" and a \"password\", or an \"nkey\"", block.Position));
        return null;
    }

    private ServerTlsOptions? Tls(ConfigSection section)
    {
        ServerTlsOptions? tls = section.Find("tls") switch
        {
            null => null,
            ConfigBlock block => new TlsConfig(problems, warnings).ReadBlock(block),
            var value => section.Wrong<ServerTlsOptions?>("tls", "a block", value, null),
        };
        if (tls is { MapUsers: true })
        {
            problems.Add(new ConfigProblem("\"verify_and_map\" is not valid for leaf nodes: they send the credentials of a user", section.Find("tls")!.Position));
        }

        return tls;
    }

    private static string? Advertise(ConfigSection section)
    {
        // The broker tells leaf nodes no other address than this one.
        bool isHidden = section.Flag("no_advertise", false);
        string? advertise = section.Text("advertise", null);
        if (advertise is not null && !LeafRemoteOptions.IsValidUrl($"nats-leaf://{advertise}"))
        {
            return section.Wrong<string?>("advertise", "a host and a port, such as \"hub.example.org:7422\"", section.Find("advertise")!, null);
        }

        return isHidden ? null : advertise;
    }
}
