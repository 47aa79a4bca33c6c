using System.CommandLine;
using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;
using Broker.Cli.Help;
using Broker.Cli.Messaging;
using Broker.Cli.Shell;
using Broker.Cli.Streams;
using Broker.Client;
using Broker.Cryptography;

namespace Broker.Cli.Auth;

/// <summary><c>broker auth push</c>: sends accounts to a server that stores them.</summary>
internal sealed class PushCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker auth push -s nats://127.0.0.1:4222
              Sends all accounts, as a user of the system account that is valid for a few minutes.
          broker auth push PLANT -s nats://127.0.0.1:4222
          broker auth push --creds sys.creds
        """;

    private const string Subject = "$SYS.REQ.CLAIMS.UPDATE";

    private static readonly TimeSpan DefaultTimeout = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan LifeOfUser = TimeSpan.FromMinutes(5);

    private readonly Argument<string[]> _accounts = new("accounts") { Description = "Names or public keys of the accounts [default: all]", Arity = ArgumentArity.ZeroOrMore };
    private readonly Option<string?> _store = AuthCommand.Store();
    private readonly Option<TimeSpan?> _timeout = CommonOptions.Time("--timeout", "How long the server may take for an answer [default: 5s]");
    private readonly Option<bool> _json = AuthCommand.Json();

    public Command Build()
    {
        Command command = new Command("push", "Sends accounts to a server with a full resolver, which applies them at once.").With(_accounts, _timeout, _json, _store);
        var connection = new ConnectionFlags(shell.Variable);
        connection.AddTo(command);
        HelpWithExamples.Add(command, Examples);
        command.SetAction(async (flags, cancellationToken) =>
        {
            Token[] accounts = [];
            ClientOptions? options = null;
            int exitCode = AuthCommand.Guard(shell, () =>
            {
                using var store = AuthStore.Open(AuthCommand.Folder(shell, flags.GetValue(_store)), changes: false);
                var run = new AuthRun(shell, store);
                string[] names = flags.GetValue(_accounts) ?? [];
                accounts = names.Length == 0 ? [.. store.AllAccounts()] : [.. names.Select(run.Account)];
                options = Options(run, flags, connection);
                return ExitCode.Success;
            });
            return options is null ? exitCode
                : await ClientRun.OfAsync(shell, () => options, connection.Wait(flags), run => PushAsync(run, accounts, flags), cancellationToken);
        });
        return command;
    }

    private ClientOptions Options(AuthRun run, ParseResult flags, ConnectionFlags connection)
    {
        ClientOptions options = connection.Read(flags, flags.GetValue(_timeout) ?? DefaultTimeout, shell.Age) with { MaxReconnectAttempts = 0 };
        if (connection.NamesCredentials(flags))
        {
            return options;
        }

        // The user is not stored: its seed exists only while the command runs. Credentials of the environment are those
        // of another account.
        var keys = NkeyPair.Generate(NkeyKind.User);
        string jwt = SystemUser(run, keys).Text;
        return options with { User = null, Password = null, Token = null, Jwt = () => jwt, Nkey = keys.PublicKey, Sign = nonce => keys.Sign(nonce.Span) };
    }

    private static Token SystemUser(AuthRun run, NkeyPair keys)
    {
        Token system = run.Account(run.SystemAccount ?? throw new AuthException("the operator has no system account; 'broker auth edit operator --system-account NAME' sets one"));
        (NkeyPair signer, _) = run.UserSigner(system, null);
        JsonObject claims = Token.NewClaims("user", keys.PublicKey, "broker auth push");
        JsonObject nats = Token.Inner(claims, "nats");
        LimitFlags.SetNoneOfUser(nats);
        claims["exp"] = AuthRun.Now + (long)LifeOfUser.TotalSeconds;
        if (signer.PublicKey != system.Subject)
        {
            nats["issuer_account"] = system.Subject;
        }

        return Token.Sign(claims, signer, AuthRun.Now);
    }

    private async Task<int> PushAsync(ClientRun run, Token[] accounts, ParseResult flags)
    {
        int failed = 0;
        foreach (Token account in accounts)
        {
            string? error = await PushAsync(run, account, flags.GetValue(_timeout) ?? DefaultTimeout);
            failed += error is null ? 0 : 1;
            if (error is not null)
            {
                shell.Complain($"account {account.Name} is not accepted: {error}");
            }

            if (error is null || flags.GetValue(_json))
            {
                Done.Print(
                    shell, flags.GetValue(_json), $"the server has account {account.Name} {account.Subject}",
                    ("name", account.Name), ("account", account.Subject), ("stored", error is null), ("error", error));
            }
        }

        return failed == 0 ? ExitCode.Success : ExitCode.Failure;
    }

    // Returns the error of the server, or null.
    private static async Task<string?> PushAsync(ClientRun run, Token account, TimeSpan timeout)
    {
        try
        {
            Message answer = await run.Connection.RequestAsync(Subject, Encoding.ASCII.GetBytes(account.Text), timeout, cancellationToken: run.Stop);
            using var json = JsonDocument.Parse(answer.Body);
            return json.RootElement.TryGetProperty("error", out JsonElement error)
                ? error.TryGetProperty("description", out JsonElement text) ? text.GetString() : error.GetRawText()
                : null;
        }
        catch (NoRespondersException)
        {
            return "the server stores no accounts; it needs a full resolver, and the user must be of its system account";
        }
        catch (JsonException)
        {
            return "the answer of the server is not JSON";
        }
    }
}
