using System.CommandLine;
using Broker.Cli.Shell;
using Broker.Client;
using Broker.Transport;

namespace Broker.Cli.Messaging;

/// <summary>The flags of all commands that are clients: where the server is, and who one is there. No message shows what they hold.</summary>
internal sealed class ConnectionFlags
{
    /// <summary>Names the server where no flag does.</summary>
    public const string Variable = "NATS_URL";

    private const string Default = "nats://127.0.0.1:4222";

    // One attempt is all there is, and somebody at a keyboard can end it: longer than a program that goes on to the next server.
    private static readonly TimeSpan ConnectTimeout = TimeSpan.FromSeconds(10);

    private readonly Option<string[]> _servers = new("--server", "-s")
    {
        Description = $"The server, nats://HOST:PORT, tls://, ws:// or wss://; may be repeated [default: {Variable} or {Default}]",
        HelpName = "url",
        Arity = ArgumentArity.OneOrMore,
        AllowMultipleArgumentsPerToken = false,
    };

    private readonly Option<string?> _user = new("--user") { Description = "User to be; needs --pass", HelpName = "user" };

    private readonly Option<string?> _password = new("--pass") { Description = "That user's password", HelpName = "password" };

    private readonly Option<string?> _token = new("--auth") { Description = "Token to show", HelpName = "token" };

    private readonly Option<string?> _credentials = new("--creds")
    {
        Description = "File with a user's JWT and seed, or the seed of an nkey alone",
        HelpName = "file",
    };

    private readonly Option<string?> _authority = new("--tlscacert")
    {
        Description = "PEM file with those who sign the server's certificate [default: whom the system trusts]",
        HelpName = "file",
    };

    private readonly Option<string?> _certificate = new("--tlscert") { Description = "PEM file with a certificate to show", HelpName = "file" };

    private readonly Option<string?> _key = new("--tlskey") { Description = "PEM file with its private key", HelpName = "file" };

    /// <summary>Whether a flag says where the server is.</summary>
    public bool NamesServers(ParseResult flags) => flags.GetValue(_servers) is { Length: > 0 };

    public void AddTo(Command command)
    {
        foreach (Option option in (Option[])[_servers, _user, _password, _token, _credentials, _authority, _certificate, _key])
        {
            command.Options.Add(option);
        }
    }

    /// <exception cref="UsageException">They do not go together, or a file cannot be used.</exception>
    public ClientOptions Read(ParseResult flags)
    {
        string? user = flags.GetValue(_user);
        string? password = flags.GetValue(_password);
        if ((user is null) != (password is null))
        {
            throw new UsageException("--user and --pass belong together");
        }

        var options = new ClientOptions
        {
            Servers = Servers(flags),
            Name = "broker command",
            ConnectTimeout = ConnectTimeout,
            User = user,
            Password = password,
            Token = flags.GetValue(_token),
            Tls = Tls(flags),
        };
        return flags.GetValue(_credentials) is { } file ? With(options, file) : options;
    }

    private string[] Servers(ParseResult flags) => flags.GetValue(_servers) switch
    {
        { Length: > 0 } given => given,
        _ => Environment.GetEnvironmentVariable(Variable) is { Length: > 0 } named ? named.Split(',', StringSplitOptions.TrimEntries) : [Default],
    };

    private ClientTlsOptions? Tls(ParseResult flags)
    {
        string? authority = flags.GetValue(_authority);
        string? certificate = flags.GetValue(_certificate);
        string? key = flags.GetValue(_key);
        return authority is null && certificate is null && key is null
            ? null
            : new ClientTlsOptions { AuthorityFile = authority, CertificateFile = certificate, KeyFile = key };
    }

    private static ClientOptions With(ClientOptions options, string file)
    {
        try
        {
            return ClientCredentials.Over(options, file);
        }
        catch (Exception e) when (ClientCredentials.IsUnusable(e))
        {
            throw new UsageException($"--creds: {e.Message}");
        }
    }
}
