using System.CommandLine;
using Broker.Cli.Shell;
using Broker.Client;
using Broker.Transport;

namespace Broker.Cli.Messaging;

/// <summary>
/// The flags of all commands that are NATS clients: the server's address and the client's credentials. No message shows
/// their values.
/// </summary>
internal sealed class ConnectionFlags
{
    /// <summary>The environment variable with the server's address, used if no flag gives it.</summary>
    public const string Variable = "NATS_URL";

    private const string Default = "nats://127.0.0.1:4222";

    // Longer than the client's default, because a command tries to connect only once and its user can press Ctrl+C.
    private static readonly TimeSpan ConnectTimeout = TimeSpan.FromSeconds(10);

    // A command that waits for messages for a tenth of a second only must still be able to connect on a busy machine.
    private static readonly TimeSpan LeastTimeout = TimeSpan.FromSeconds(1);

    private readonly Option<string[]> _servers = new("--server", "-s")
    {
        Description = "URL of the server: nats://HOST:PORT, tls://, ws:// or wss://; may be repeated "
            + $"[default: {Variable}, otherwise {Default}]",
        HelpName = "url",
        Arity = ArgumentArity.OneOrMore,
        AllowMultipleArgumentsPerToken = false,
    };

    private readonly Option<string?> _user = new("--user") { Description = "User name for the server; needs --pass", HelpName = "user" };

    private readonly Option<string?> _password = new("--pass") { Description = "Password of that user", HelpName = "password" };

    private readonly Option<string?> _token = new("--auth") { Description = "Token for the server", HelpName = "token" };

    private readonly Option<string?> _credentials = new("--creds")
    {
        Description = "Credentials file with a user's JWT and seed, or a file with only the seed of an nkey",
        HelpName = "file",
    };

    private readonly Option<string?> _authority = new("--tlscacert")
    {
        Description = "PEM file with the authorities that sign the server's certificate "
            + "[default: the trusted authorities of the system]",
        HelpName = "file",
    };

    private readonly Option<string?> _certificate = new("--tlscert")
    {
        Description = "PEM file with the client's certificate",
        HelpName = "file",
    };

    private readonly Option<string?> _key = new("--tlskey")
    {
        Description = "PEM file with the private key of that certificate",
        HelpName = "file",
    };

    /// <summary>Whether a flag gives the server's address.</summary>
    public bool NamesServers(ParseResult flags) => flags.GetValue(_servers) is { Length: > 0 };

    public void AddTo(Command command)
    {
        foreach (Option option in (Option[])[_servers, _user, _password, _token, _credentials, _authority, _certificate, _key])
        {
            command.Options.Add(option);
        }
    }

    /// <param name="flags">The flags of the command.</param>
    /// <param name="timeout">The time after which the command ends, or null for none.</param>
    /// <exception cref="UsageException">Flags conflict, or a file cannot be used.</exception>
    public ClientOptions Read(ParseResult flags, TimeSpan? timeout = null)
    {
        string? user = flags.GetValue(_user);
        string? password = flags.GetValue(_password);
        if ((user is null) != (password is null))
        {
            throw new UsageException("--user and --pass must be given together");
        }

        var options = new ClientOptions
        {
            Servers = Servers(flags),
            Name = "broker command",
            ConnectTimeout = timeout is null || timeout > ConnectTimeout ? ConnectTimeout
                : timeout < LeastTimeout ? LeastTimeout
                : timeout.Value,
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
        _ => Environment.GetEnvironmentVariable(Variable) is { Length: > 0 } named
            ? named.Split(',', StringSplitOptions.TrimEntries)
            : [Default],
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
