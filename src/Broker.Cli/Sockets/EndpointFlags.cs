using System.CommandLine;
using System.CommandLine.Parsing;
using Broker.Cli.Shell;
using Broker.Cryptography;
using Broker.ZeroMq;

namespace Broker.Cli.Sockets;

/// <summary>
/// The flags of all commands that are ZeroMQ sockets: the socket's endpoints and its security mechanism.
/// </summary>
internal sealed class EndpointFlags
{
    private readonly Option<string[]> _connect = Endpoints(
        "--connect", "-c", "Endpoint to connect to, such as tcp://127.0.0.1:5556; may be repeated");

    private readonly Option<string[]> _bind = Endpoints(
        "--bind", "-b", "Endpoint to bind, such as tcp://*:5556; may be repeated");

    private readonly Option<string?> _user = new("--plain-user")
    {
        Description = "User name for the PLAIN mechanism; needs --plain-password",
        HelpName = "user",
    };

    private readonly Option<string?> _password = new("--plain-password")
    {
        Description = "Password of that user",
        HelpName = "password",
    };

    private readonly Option<string?> _serverKey = new("--curve-server-key")
    {
        Description = "Public key of the server for the CURVE mechanism, 40 characters",
        HelpName = "key",
    };

    private readonly Option<string?> _secretKey = new("--curve-secret-key-file")
    {
        Description = "File with the socket's own secret key, 40 characters [default: a new key]; with --bind and "
            + "without --curve-server-key the socket is a server",
        HelpName = "file",
    };

    public void AddTo(Command command)
    {
        foreach (Option option in (Option[])[_connect, _bind, _user, _password, _serverKey, _secretKey])
        {
            command.Options.Add(option);
        }
    }

    /// <summary>Binds and connects the socket, and writes the bound endpoints to standard error.</summary>
    /// <exception cref="UsageException">The flags name no endpoint.</exception>
    public void Open(ParseResult flags, ShellStreams shell, Func<string, string> bind, Action<string> connect)
    {
        string[] binds = flags.GetValue(_bind) ?? [];
        string[] connects = flags.GetValue(_connect) ?? [];
        if (binds.Length + connects.Length == 0)
        {
            throw new UsageException("an endpoint is missing: use --connect or --bind, such as --connect tcp://127.0.0.1:5556");
        }

        if (IsCurveServer(flags) && connects.Length > 0)
        {
            throw new UsageException("--connect needs --curve-server-key: without it the socket is a CURVE server, which only binds");
        }

        foreach (string endpoint in binds)
        {
            shell.Say($"bound to {bind(endpoint)}");
        }

        if (IsCurveServer(flags))
        {
            shell.Say($"CURVE server: clients need --curve-server-key '{Keys(flags.GetValue(_secretKey)).PublicKey}'; every client key is accepted");
        }

        foreach (string endpoint in connects)
        {
            connect(endpoint);
        }
    }

    /// <exception cref="UsageException">Flags conflict, or a key is invalid.</exception>
    public ZeroMqSecurity Security(ParseResult flags)
    {
        string? user = flags.GetValue(_user);
        string? password = flags.GetValue(_password);
        if ((user is null) != (password is null))
        {
            throw new UsageException("--plain-user and --plain-password must be given together");
        }

        if (flags.GetValue(_serverKey) is not { } serverKey)
        {
            return flags.GetValue(_secretKey) is { } file ? Server(flags, file, user)
                : user is null ? ZeroMqSecurity.Null
                : ZeroMqSecurity.PlainClient(user, password!);
        }

        if (user is not null)
        {
            throw new UsageException("--plain-user and --curve-server-key cannot be combined: a socket has one mechanism");
        }

        return CurveKey.TryParse(serverKey, out CurveKey? key)
            ? ZeroMqSecurity.CurveClient(Keys(flags.GetValue(_secretKey)), key)
            : throw new UsageException("--curve-server-key must be a key of 40 characters in Z85");
    }

    private ZeroMqSecurity Server(ParseResult flags, string file, string? user)
    {
        if (user is not null)
        {
            throw new UsageException("--plain-user and --curve-secret-key-file cannot be combined: a socket has one mechanism");
        }

        return IsCurveServer(flags)
            ? ZeroMqSecurity.CurveServer(Keys(file))
            : throw new UsageException("--curve-secret-key-file needs --curve-server-key, or --bind for a server");
    }

    private bool IsCurveServer(ParseResult flags)
        => flags.GetValue(_serverKey) is null && flags.GetValue(_secretKey) is not null && flags.GetValue(_bind) is { Length: > 0 };

    private static CurveKeyPair Keys(string? file)
    {
        if (file is null)
        {
            return CurveKeyPair.Generate(new CurveCryptography());
        }

        try
        {
            return CurveKeyFile.ReadPair(new CurveCryptography(), file);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new UsageException($"--curve-secret-key-file: {e.Message}");
        }
        catch (FormatException e)
        {
            throw new UsageException($"--curve-secret-key-file: {file}: {e.Message}");
        }
    }

    private static Option<string[]> Endpoints(string name, string alias, string description)
    {
        var option = new Option<string[]>(name, alias)
        {
            Description = description,
            HelpName = "endpoint",
            Arity = ArgumentArity.OneOrMore,
            AllowMultipleArgumentsPerToken = false,
        };
        option.Validators.Add(Check);
        return option;
    }

    private static void Check(OptionResult result)
    {
        foreach (Token token in result.Tokens)
        {
            if (!ZeroMqEndpoint.TryParse(token.Value, out _, out string? error))
            {
                result.AddError(
                    $"{result.Option.Name} must be an endpoint such as tcp://127.0.0.1:5556, not \"{token.Value}\": {error}");
            }
        }
    }
}
