using System.CommandLine;
using Broker.Cli.Shell;
using Broker.Cryptography;

namespace Broker.Cli.Auth;

/// <summary>The flag <c>--seed-file</c>: a key that exists already. Without it, a command makes a new key.</summary>
internal sealed class SeedFlag
{
    private readonly Option<string?> _file = new("--seed-file")
    {
        Description = "File with the seed of an existing key, which is copied [default: a new key]",
        HelpName = "file",
    };

    public void AddTo(Command command) => command.Options.Add(_file);

    public bool IsGiven(ParseResult flags) => flags.GetValue(_file) is not null;

    /// <exception cref="AuthException">The file cannot be read, or has no seed of this kind.</exception>
    public NkeyPair Read(ParseResult flags, NkeyKind kind)
    {
        if (flags.GetValue(_file) is not { } file)
        {
            return NkeyPair.Generate(kind);
        }

        // The file may be a credentials file or one of nsc, with lines around the seed.
        string letters = $"S{char.ToUpperInvariant(kind.ToString()[0])}";
        string? line = Array.Find(
            AuthFile.ReadText(file.Length > 0 ? file : throw new UsageException("--seed-file must be a file")).Split('\n', StringSplitOptions.TrimEntries),
            l => l.StartsWith(letters, StringComparison.Ordinal) && !l.Contains(' ', StringComparison.Ordinal));
        try
        {
            return NkeyPair.FromSeed(line ?? "");
        }
        catch (FormatException)
        {
            throw new AuthException($"the file {file} has no seed of {(kind == NkeyKind.Account ? "an account" : kind == NkeyKind.Operator ? "an operator" : "a user")}, which begins with {letters}");
        }
    }
}
