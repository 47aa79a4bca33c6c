using Broker.Transport;

namespace Broker.Cli.Configuration;

/// <summary>
/// Reads the keys that give the NATS servers of a bridge, if it does not use the server in this process.
/// </summary>
internal sealed class BridgeConnectionConfig(List<ConfigProblem> problems)
{
    private const string UrlShape = "the URL of a NATS server, such as \"nats://host:4222\" or \"wss://host\"";

    public BridgeConnection? Read(ConfigSection section, ConfigBlock block)
    {
        IReadOnlyList<string> servers = section.Many("url", [], UrlShape, Url);
        string? credentials = Credentials(section);
        ClientTlsOptions? tls = Tls(section);
        if (servers.Count > 0)
        {
            return new BridgeConnection { Servers = servers, CredentialsFile = credentials, Tls = tls };
        }

        if (section.Find("url") is ConfigArray { Items: [] } empty)
        {
            section.Wrong("url", UrlShape, empty, servers);
        }
        else if (!section.Has("url") && (credentials is not null || tls is not null))
        {
            problems.Add(new ConfigProblem("\"credentials\" and \"tls\" need \"url\", which is missing", block.Position));
        }

        return null;
    }

    private static string? Url(string text)
        => Uri.TryCreate(text, UriKind.Absolute, out Uri? url) && url is { Scheme: "nats" or "tls" or "ws" or "wss", Host.Length: > 0 } ? text : null;

    private static string? Credentials(ConfigSection section)
    {
        if (section.Text("credentials", null) is not { } file)
        {
            return null;
        }

        try
        {
            _ = ClientCredentials.Over(new Client.ClientOptions(), file);
            return file;
        }
        catch (Exception e) when (ClientCredentials.IsUnusable(e))
        {
            string shape = $"a file with a user's JWT and seed, or with a seed ({e.Message})";
            return section.Wrong<string?>("credentials", shape, section.Find("credentials")!, null);
        }
    }

    private ClientTlsOptions? Tls(ConfigSection section)
    {
        switch (section.Find("tls"))
        {
            case null:
                return null;
            case ConfigBlock block:
                var inner = new ConfigSection(block, problems);
                var tls = new ClientTlsOptions
                {
                    AuthorityFile = File(inner, "ca_file"),
                    CertificateFile = File(inner, "cert_file"),
                    KeyFile = File(inner, "key_file"),
                };
                inner.RejectTheRest();
                if ((tls.CertificateFile is null) != (tls.KeyFile is null))
                {
                    problems.Add(new ConfigProblem("\"cert_file\" and \"key_file\" must be given together", block.Position));
                }

                return tls;
            case var value:
                return section.Wrong<ClientTlsOptions?>("tls", "a block", value, null);
        }
    }

    private static string? File(ConfigSection section, string key)
        => section.Text(key, null) is not { } file ? null
        : System.IO.File.Exists(file) ? file
        : section.Wrong<string?>(key, "a file", section.Find(key)!, null);
}
