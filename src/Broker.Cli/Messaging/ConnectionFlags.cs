using System.CommandLine;
using Broker.Cli.Shell;
using Broker.Client;
using Broker.Transport;

namespace Broker.Cli.Messaging;

/// <summary>
/// The flags of all commands that are NATS clients: the server's address and the client's credentials. No message shows
/// their values.
/// </summary>
/// <param name="variable">Returns the value of an environment variable, or null.</param>
/// <param name="isOfBridge">
/// Whether the flags are those of <c>broker bridge</c>, which always waits for its server and takes no credentials from
/// the environment.
/// </param>
internal sealed class ConnectionFlags(Func<string, string?> variable, bool isOfBridge = false)
{
    // The environment variables of the nats command.
    private const string UrlVariable = "NATS_URL";
    private const string UserVariable = "NATS_USER";
    private const string PasswordVariable = "NATS_PASSWORD";
    private const string AuthorityVariable = "NATS_CA";
    private const string CertificateVariable = "NATS_CERT";
    private const string KeyVariable = "NATS_KEY";

    private static readonly string[] CredentialsVariables = ["NATS_CREDS", "NATS_NKEY"];

    private const string Default = "nats://127.0.0.1:4222";

    // The time-out is longer than the client's default, because a command connects only once and its user can press
    // Ctrl+C.
    private static readonly TimeSpan ConnectTimeout = TimeSpan.FromSeconds(10);

    // A command that waits for messages for a tenth of a second only must still be able to connect on a busy machine.
    private static readonly TimeSpan LeastTimeout = TimeSpan.FromSeconds(1);

    // Each of several servers gets less time, because the next server may be the one that answers.
    private static readonly TimeSpan TimeoutOfOneOfSeveral = TimeSpan.FromSeconds(2);

    private readonly Option<string[]> _servers = new("--server", "-s")
    {
        Description = "URL of the server: nats://HOST:PORT, tls://, ws:// or wss://; may be repeated "
            + $"[default: {UrlVariable}, otherwise {Default}]",
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

    private readonly Option<TimeSpan?> _wait = CommonOptions.Time(
        "--wait", "How long to wait for a server that is not reachable yet, such as 10s [default: no time]");

    /// <summary>Whether a flag gives the server's address.</summary>
    public bool NamesServers(ParseResult flags) => flags.GetValue(_servers) is { Length: > 0 };

    /// <summary>Whether flags or the server's address give the credentials, and not only the environment.</summary>
    public bool NamesCredentials(ParseResult flags)
        => (flags.GetValue(_user) ?? flags.GetValue(_token) ?? flags.GetValue(_credentials)) is not null
            || (flags.GetValue(_servers) ?? []).Any(static server => server.Contains('@', StringComparison.Ordinal));

    public void AddTo(Command command)
    {
        foreach (Option option in (Option[])[_servers, _user, _password, _token, _credentials, _authority, _certificate, _key])
        {
            command.Options.Add(option);
        }

        if (!isOfBridge)
        {
            command.Options.Add(_wait);
        }
    }

    /// <summary>Returns how long to wait for a server that cannot be reached.</summary>
    public TimeSpan Wait(ParseResult flags) => flags.GetValue(_wait) ?? TimeSpan.Zero;

    /// <param name="flags">The flags of the command.</param>
    /// <exception cref="UsageException">Flags conflict, or a file cannot be used.</exception>
    public ClientOptions Read(ParseResult flags)
    {
        var options = new ClientOptions { Servers = Servers(flags), Name = "broker command", Tls = Tls(flags) };
        return ConnectingWithin(ConnectTimeout, WithCredentials(options, flags));
    }

    /// <summary>
    /// As <see cref="Read(ParseResult)"/>, for a command that ends at a time. The server must answer, and accept what
    /// is sent, before that time.
    /// </summary>
    /// <param name="flags">The flags of the command.</param>
    /// <param name="timeout">The time after which the command ends, or null for none.</param>
    /// <param name="age">Returns how long the command already runs. Called only if the command ends at a time.</param>
    /// <exception cref="UsageException">Flags conflict, or a file cannot be used.</exception>
    public ClientOptions Read(ParseResult flags, TimeSpan? timeout, Func<TimeSpan> age)
    {
        ClientOptions options = Read(flags);
        TimeSpan time = timeout is { } asked ? asked - age() : ConnectTimeout;
        time = time > ConnectTimeout ? ConnectTimeout : time < LeastTimeout ? LeastTimeout : time;
        // A connection that closes sends what is queued. This must not take longer than the server may be silent.
        return ConnectingWithin(time, options) with { WriteDeadline = time, DrainTimeout = time };
    }

    private static ClientOptions ConnectingWithin(TimeSpan time, ClientOptions options) => options with
    {
        ConnectTimeout = options.Servers.Count > 1 && time > TimeoutOfOneOfSeveral ? TimeoutOfOneOfSeveral : time,
    };

    private string[] Servers(ParseResult flags) => flags.GetValue(_servers) switch
    {
        { Length: > 0 } given => given,
        _ => Variable(UrlVariable) is { } named ? named.Split(',', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries) : [Default],
    };

    private ClientOptions WithCredentials(ClientOptions options, ParseResult flags)
    {
        string? user = flags.GetValue(_user);
        string? password = flags.GetValue(_password);
        string? token = flags.GetValue(_token);
        string? file = flags.GetValue(_credentials);
        if ((user is null) != (password is null))
        {
            throw new UsageException("--user and --pass must be given together");
        }

        // Credentials from a flag or an address are meant for this server. Credentials from the environment may be for
        // another server.
        if (user is null && token is null && file is null && !options.Servers.Any(static server => server.Contains('@')))
        {
            return isOfBridge ? options : WithVariables(options);
        }

        options = options with { User = user, Password = password, Token = token };
        return file is null ? options : With(options, file, _credentials.Name);
    }

    private ClientOptions WithVariables(ClientOptions options)
    {
        foreach (string name in CredentialsVariables)
        {
            if (Variable(name) is { } file)
            {
                return With(options, file, name);
            }
        }

        // As for the nats command, a user without a password is a token.
        string? user = Variable(UserVariable);
        string? password = Variable(PasswordVariable);
        return user is null ? options
            : password is null ? options with { Token = user }
            : options with { User = user, Password = password };
    }

    private ClientTlsOptions? Tls(ParseResult flags)
    {
        string? authority = flags.GetValue(_authority);
        string? certificate = flags.GetValue(_certificate);
        string? key = flags.GetValue(_key);
        if (!isOfBridge)
        {
            authority ??= Variable(AuthorityVariable);
            if (certificate is null && key is null)
            {
                (certificate, key) = (Variable(CertificateVariable), Variable(KeyVariable));
            }
        }

        return authority is null && certificate is null && key is null
            ? null
            : new ClientTlsOptions { AuthorityFile = authority, CertificateFile = certificate, KeyFile = key };
    }

    // An empty variable counts as absent.
    private string? Variable(string name) => variable(name) is { Length: > 0 } value ? value : null;

    private static ClientOptions With(ClientOptions options, string file, string source)
    {
        try
        {
            return ClientCredentials.Over(options, file);
        }
        catch (Exception e) when (ClientCredentials.IsUnusable(e))
        {
            throw new UsageException($"{source}: {e.Message}");
        }
    }
}
