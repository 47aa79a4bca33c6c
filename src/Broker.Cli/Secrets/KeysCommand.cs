using System.CommandLine;
using Broker.Cli.Help;
using Broker.Cli.Shell;
using Broker.Cryptography;
using Broker.ZeroMq;

namespace Broker.Cli.Secrets;

/// <summary><c>broker keys</c>: makes the keys for CURVE and for users with an nkey.</summary>
internal sealed class KeysCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker keys curve --out server.secret > server.public
          broker keys nkey --out ada.seed
        """;

    private const string CurveExamples = """
        Examples:
          broker keys curve
              Prints a new pair in the format of czmq and pyzmq. Such a file is valid as secret_key_file.
          broker keys curve --out server.secret > server.public
              Writes the secret key to a file that only its owner can read, and prints the public key.
          broker keys curve --out server.secret --replace > server.public
        """;

    private const string NkeyExamples = """
        Examples:
          broker keys nkey
              Prints the seed, which is secret, and the public key.
          broker keys nkey --out ada.seed
              Writes the seed to a file for --creds, and prints the public key for the server's file.
        """;

    private readonly Option<string?> _out = new("--out", "-o")
    {
        Description = "File for the secret part, which only its owner can read; then only the public key is printed",
        HelpName = "file",
    };

    private readonly Option<bool> _replace = new("--replace") { Description = "Replace the file of --out if it exists" };

    public Command Build()
    {
        var command = new Command("keys", "Makes keys: curve for ZeroMQ's CURVE, nkey for a user of NATS.");
        command.Subcommands.Add(Build("curve", "Makes a key pair for ZeroMQ's CURVE.", CurveExamples, CurveAsync));
        command.Subcommands.Add(Build("nkey", "Makes the nkey of a user of NATS.", NkeyExamples, NkeyAsync));
        HelpWithExamples.Add(command, Examples);
        command.SetAction(_ =>
        {
            shell.Complain("the kind of key is missing: broker keys curve or broker keys nkey");
            return ExitCode.Usage;
        });
        return command;
    }

    private Command Build(string name, string description, string examples, Func<ParseResult, CancellationToken, Task<int>> run)
    {
        var command = new Command(name, description);
        command.Options.Add(_out);
        command.Options.Add(_replace);
        HelpWithExamples.Add(command, examples);
        command.SetAction(run);
        return command;
    }

    private Task<int> CurveAsync(ParseResult flags, CancellationToken cancellationToken)
    {
        var keys = CurveKeyPair.Generate(new CurveCryptography());
        string secret = keys.ExportSecretKey();
        return WriteAsync(
            flags, secret, keys.PublicKey.ToString(), $"public-key = \"{keys.PublicKey}\"\nsecret-key = \"{secret}\"", cancellationToken);
    }

    private Task<int> NkeyAsync(ParseResult flags, CancellationToken cancellationToken)
    {
        var keys = UserCredentials.Generate();
        string seed = keys.ExportSeed();
        return WriteAsync(flags, seed, keys.PublicKey, $"{seed}\n{keys.PublicKey}", cancellationToken);
    }

    private async Task<int> WriteAsync(ParseResult flags, string secret, string open, string both, CancellationToken cancellationToken)
    {
        string? file = flags.GetValue(_out);
        if (file is "")
        {
            shell.Complain("--out must be a file");
            return ExitCode.Usage;
        }

        if (file is not null && await WriteFileAsync(file, secret, flags.GetValue(_replace), cancellationToken) is { } problem)
        {
            shell.Complain(problem);
            return ExitCode.Failure;
        }

        var lines = new LineOutput(shell);
        lines.Write(file is null ? both : open);
        lines.EndLine();
        lines.Flush();
        return ExitCode.Success;
    }

    private static async Task<string?> WriteFileAsync(string file, string secret, bool replace, CancellationToken cancellationToken)
    {
        try
        {
            if (replace)
            {
                File.Delete(file);
            }

            await using var stream = new StreamWriter(SecretFile.Create(file));
            await stream.WriteLineAsync(secret.AsMemory(), cancellationToken);
            return null;
        }
        catch (IOException) when (File.Exists(file))
        {
            return $"the file {file} exists; --replace replaces it, and then its key is lost";
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or ArgumentException or NotSupportedException)
        {
            return $"cannot write {file}: {ErrorText.WithoutParameter(e.Message)}";
        }
    }
}
