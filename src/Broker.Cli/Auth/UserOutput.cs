using System.CommandLine;
using Broker.Cli.Shell;
using Broker.Cli.Streams;
using Broker.Cryptography;

namespace Broker.Cli.Auth;

/// <summary>The flags that say to which file a user is written.</summary>
internal sealed class UserOutput
{
    private readonly Option<string?> _out = new("--out", "-o")
    {
        Description = "Credentials file to write, which only its owner can read [default: NAME.creds]",
        HelpName = "file",
    };

    private readonly Option<bool> _replace = new("--replace") { Description = "Replace the file if it has something else" };

    public static Option<string?> Key() => new("--key", "-k")
    {
        Description = "Role or public key of the signing key [default: the key of the account]",
        HelpName = "role",
    };

    public void AddTo(Command command) => command.With(_out, _replace);

    /// <summary>Returns the file to write, after a check that nothing is lost.</summary>
    /// <exception cref="UsageException">The name of the user is no name of a file.</exception>
    /// <exception cref="AuthException">The file exists and has something else.</exception>
    public string FileOf(ParseResult flags, string name, string user, bool isWithSeed)
    {
        string file = CredentialsFile.PathOf(flags.GetValue(_out), name, isWithSeed);
        CredentialsFile.CheckFree(file, user, flags.GetValue(_replace));
        return file;
    }

    /// <summary>Writes the credentials file, or only the JWT of a user who keeps the seed.</summary>
    public static void Write(string file, Token user, NkeyPair? keys)
    {
        if (keys is null)
        {
            AuthFile.Write(file, user.Text + "\n");
        }
        else
        {
            CredentialsFile.Write(file, user, keys);
        }
    }
}
