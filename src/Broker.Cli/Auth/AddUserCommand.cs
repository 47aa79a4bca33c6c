using System.CommandLine;
using System.Text.Json.Nodes;
using Broker.Cli.Shell;
using Broker.Cli.Streams;
using Broker.Cryptography;

namespace Broker.Cli.Auth;

/// <summary><c>broker auth add user</c>.</summary>
internal sealed class AddUserCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker auth add user pump --account PLANT --allow-pub 'plant.>' --deny-sub '>'
              Writes the credentials file pump.creds, for --creds of any client.
          broker auth add user ada --account PLANT --expires 30d --source-network 192.0.2.0/24 --out ada.creds
          broker auth add user meter-7 --account PLANT --key sensor --tag site:oslo
              The role sensor, which 'broker auth add key' has made, says what the user may do.
        """;

    private readonly Argument<string> _name = new("name") { Description = "Name of the new user" };
    private readonly Option<string?> _key = UserOutput.Key();
    private readonly Option<string?> _public = new("--public-key")
    {
        Description = "Public key of a user who keeps the seed; then the file has only the JWT",
        HelpName = "key",
    };

    private readonly NewKeyFlags _new = new();
    private readonly Option<string[]> _tags = TagFlag.Create();
    private readonly ExpiryFlag _expiry = new();
    private readonly UserOutput _output = new();

    public Command Build()
    {
        Command command = new Command("user", "Adds a user and writes its credentials file. Without a flag, it may do everything in its account.").With(_name, _new.Account, _key);
        _expiry.AddTo(command);
        _new.Rights.AddTo(command);
        command.With(_tags, _public);
        _output.AddTo(command);
        _new.AddTo(command);
        return AuthCommand.Complete(command, shell, Examples, changes: true, Add);
    }

    private int Add(AuthRun run, ParseResult flags)
    {
        string name = Names.Check(flags.GetRequiredValue(_name), "the name of the user");
        Token account = run.Account(flags.GetValue(_new.Account));
        string? own = flags.GetValue(_public);
        if (own is not null && _new.Seed.IsGiven(flags))
        {
            throw new UsageException("--public-key and --seed-file cannot be combined");
        }

        if (own is not null && !NkeyPair.IsPublicKey(own, NkeyKind.User))
        {
            throw new UsageException("--public-key must be the public key of a user: 56 characters that begin with U");
        }

        NkeyPair? keys = own is null ? _new.Seed.Read(flags, NkeyKind.User) : null;
        string subject = own ?? keys!.PublicKey;
        if (run.Store.UsersOf(account.Subject).Find(u => u.Name == name || u.Subject == subject) is { } same)
        {
            throw new AuthException($"account {account.Name} has a user {same.Name} {same.Subject} already; 'broker auth edit user' changes it");
        }

        (NkeyPair signer, JsonObject? scope) = run.UserSigner(account, flags.GetValue(_key));
        string file = _output.FileOf(flags, name, subject, isWithSeed: keys is not null);
        JsonObject claims = Token.NewClaims("user", subject, name);
        JsonObject nats = Token.Inner(claims, "nats");
        if (scope is null)
        {
            _new.Rights.ApplyToNew(nats, flags, isTemplate: false);
        }
        else
        {
            _new.Rights.Refuse(flags, $"cannot be combined with the role {flags.GetValue(_key)}: the role says what its users may do");
        }

        TagFlag.Apply(nats, flags, _tags);
        _expiry.ApplyTo(claims, flags);
        if (keys is not null)
        {
            run.Keep(keys);
        }

        Token user = run.SignUser(claims, account, signer);
        UserOutput.Write(file, user, keys);
        _new.Print(
            shell, flags, $"created user {name} {subject} of account {account.Name}; its {(keys is null ? "JWT" : "credentials file")} is {file}",
            ("name", name), ("user", subject), ("account", account.Subject), ("file", file));
        return ExitCode.Success;
    }
}
