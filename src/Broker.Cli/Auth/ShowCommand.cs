using System.CommandLine;
using Broker.Cli.Help;
using Broker.Cli.Shell;
using Broker.Cli.Streams;

namespace Broker.Cli.Auth;

/// <summary><c>broker auth show</c>: lists the tokens of the store, or shows one of them.</summary>
internal sealed class ShowCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker auth show
          broker auth show user pump
          broker auth show config > accounts.conf
          broker auth show --resolver /var/lib/nats/jwt
              Lists the accounts in the folder of a server's resolver.
        """;

    private const string OperatorExamples = """
        Examples:
          broker auth show operator
          broker auth show operator --jwt > operator.jwt
        """;

    private const string AccountExamples = """
        Examples:
          broker auth show account PLANT
          broker auth show account PLANT --json
              Prints the claims of the account.
        """;

    private const string UserExamples = """
        Examples:
          broker auth show user pump --account PLANT
        """;

    private const string FileExamples = """
        Examples:
          broker auth show file pump.creds
              Shows the token in a credentials file, in a file of a resolver, or in one of nsc.
        """;

    private readonly Option<string?> _store = AuthCommand.Store();
    private readonly Option<string?> _resolver = new("--resolver")
    {
        Description = "Folder of the resolver of a server, whose accounts are listed instead of the store",
        HelpName = "folder",
    };

    private readonly Option<bool> _json = new("--json") { Description = "Print each as a JSON object on one line" };

    private readonly Argument<string> _account = new("name") { Description = "Name or public key of the account" };
    private readonly Argument<string> _user = new("name") { Description = "Name or public key of the user" };
    private readonly Argument<string> _file = new("file") { Description = "File with one token" };
    private readonly Option<string?> _owner = AuthCommand.Account();
    private readonly Option<bool> _claims = new("--json") { Description = "Print the claims as a JSON object on one line" };
    private readonly Option<bool> _jwt = new("--jwt") { Description = "Print the JWT" };

    public Command Build()
    {
        Command command = new Command("show", "Lists the operator, accounts, users and signing keys, or shows one of them.").With(_resolver, _json, _store);
        HelpWithExamples.Add(command, Examples);
        command.SetAction(flags => AuthCommand.Guard(shell, () => List(flags)));
        command.Subcommands.Add(AuthCommand.Complete(
            new Command("operator", "Shows the operator.").With(_claims, _jwt), shell, OperatorExamples, changes: false, (run, flags) => Show(flags, run.Store.Operator, run)));
        command.Subcommands.Add(AuthCommand.Complete(
            new Command("account", "Shows an account.").With(_account, _claims, _jwt), shell, AccountExamples, changes: false,
            (run, flags) => Show(flags, run.Account(flags.GetRequiredValue(_account)), run)));
        // The JWT of a user is not printed, because it may be a bearer token, which is a secret.
        command.Subcommands.Add(AuthCommand.Complete(
            new Command("user", "Shows a user.").With(_user, _owner, _claims), shell, UserExamples, changes: false,
            (run, flags) => Show(flags, run.User(flags.GetRequiredValue(_user), flags.GetValue(_owner)), run)));
        command.Subcommands.Add(OfFile());
        command.Subcommands.Add(new ShowConfigCommand(shell).Build());
        return command;
    }

    private Command OfFile()
    {
        Command command = new Command("file", "Shows the token in a file.").With(_file, _claims);
        HelpWithExamples.Add(command, FileExamples);
        command.SetAction(flags => AuthCommand.Guard(shell, () => Show(flags, AuthFile.ReadToken(flags.GetRequiredValue(_file)), null)));
        return command;
    }

    private int Show(ParseResult flags, Token token, AuthRun? run)
    {
        if (flags.GetValue(_claims))
        {
            PrintLine(token.Claims.ToJsonString());
        }
        else if (token.Kind != "user" && flags.GetValue(_jwt))
        {
            PrintLine(token.Text);
        }
        else
        {
            new TokenFacts(token, run).Print(shell);
        }

        return ExitCode.Success;
    }

    private void PrintLine(string text)
    {
        var lines = new LineOutput(shell);
        lines.Write(text);
        lines.EndLine();
        lines.Flush();
    }

    private int List(ParseResult flags)
    {
        var rows = new List<TokenRow>();
        if (flags.GetValue(_resolver) is { } folder)
        {
            if (!Directory.Exists(folder))
            {
                throw new AuthException($"there is no folder {folder}");
            }

            rows.AddRange(AuthStore.AllOf(folder).Select(static t => new TokenRow(t.Kind, t.Name, "", t.Subject, TokenFacts.Expiry(t), null)));
        }
        else
        {
            using var store = AuthStore.Open(AuthCommand.Folder(shell, flags.GetValue(_store)), changes: false);
            rows.AddRange(Rows(store));
        }

        Print(rows, flags.GetValue(_json));
        return ExitCode.Success;
    }

    private static IEnumerable<TokenRow> Rows(AuthStore store)
    {
        foreach (TokenRow row in Of(store, store.Operator, ""))
        {
            yield return row;
        }

        foreach (Token account in store.AllAccounts())
        {
            foreach (TokenRow row in Of(store, account, ""))
            {
                yield return row;
            }

            foreach (Token user in store.UsersOf(account.Subject))
            {
                string state = TokenFacts.IsRevoked(user, account) ? "revoked" : TokenFacts.Expiry(user);
                yield return new TokenRow("user", user.Name, account.Name, user.Subject, state, HasSeed(store, user.Subject));
            }
        }
    }

    private static IEnumerable<TokenRow> Of(AuthStore store, Token token, string account)
    {
        yield return new TokenRow(token.Kind, token.Name, account, token.Subject, TokenFacts.Expiry(token), HasSeed(store, token.Subject));
        foreach ((string key, System.Text.Json.Nodes.JsonObject? scope) in token.SigningKeys())
        {
            string role = scope is null ? "" : Token.TextOf(scope, "role") ?? "";
            yield return new TokenRow("key", role, token.Name, key, "never", HasSeed(store, key));
        }
    }

    private static bool HasSeed(AuthStore store, string key) => File.Exists(store.FileOfKey(key));

    private void Print(List<TokenRow> rows, bool isJson)
    {
        if (isJson)
        {
            var lines = new LineOutput(shell);
            foreach (TokenRow row in rows)
            {
                ApiJson.Write(lines, json =>
                {
                    json.Add("kind", row.Kind);
                    json.Add("name", row.Name);
                    json.Add("owner", row.Owner.Length > 0 ? row.Owner : null);
                    json.Add("key", row.Key);
                    json.Add("expires", row.Expires);
                    json.Add("seed", row.HasSeed);
                });
            }

            lines.Flush();
            return;
        }

        // A token in the folder of a resolver has no owner and no seed.
        bool isOfStore = rows.Exists(static row => row.HasSeed is not null);
        TextTable table = isOfStore ? new TextTable(6, "kind", "name", "of", "public key", "expires", "seed") : new TextTable(4, "kind", "name", "public key", "expires");
        foreach (TokenRow row in rows)
        {
            table.Add(isOfStore
                ? [row.Kind, row.Name, row.Owner, row.Key, row.Expires, row.HasSeed == true ? "here" : "elsewhere"]
                : [row.Kind, row.Name, row.Key, row.Expires]);
        }

        table.WriteTo(shell);
    }

    private sealed record TokenRow(string Kind, string Name, string Owner, string Key, string Expires, bool? HasSeed);
}
