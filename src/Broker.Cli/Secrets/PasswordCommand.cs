using System.CommandLine;
using System.CommandLine.Parsing;
using System.Globalization;
using System.Security.Cryptography;
using System.Text;
using Broker.Cli.Help;
using Broker.Cli.Shell;
using Broker.Cryptography;

namespace Broker.Cli.Secrets;

/// <summary><c>broker passwd</c>: makes the bcrypt hash of a password for the configuration file.</summary>
internal sealed class PasswordCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker passwd
              Asks twice for a password, which is not shown, and prints its hash for the configuration file.
          broker passwd < password.txt
          broker passwd --generate
              Prints a new random password, and its hash below it.
        """;

    private const int LeastCost = 4;
    private const int MostCost = 20;
    private const int GeneratedLength = 22;

    private readonly Option<int?> _cost = new("--cost", "-c")
    {
        Description = $"Cost of the hash, from {LeastCost} to {MostCost}; the time of each log-in doubles with each step [default: 11]",
        HelpName = "number",
        CustomParser = ParseCost,
    };

    private readonly Option<bool> _generate = new("--generate", "-g") { Description = "Make a random password" };

    public Command Build()
    {
        var command = new Command("passwd", "Makes the bcrypt hash of a password.");
        command.Options.Add(_cost);
        command.Options.Add(_generate);
        HelpWithExamples.Add(command, Examples);
        command.SetAction(RunAsync);
        return command;
    }

    private async Task<int> RunAsync(ParseResult flags, CancellationToken cancellationToken)
    {
        bool generates = flags.GetValue(_generate);
        byte[]? password = generates
            ? RandomNumberGenerator.GetItems("ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789"u8, GeneratedLength)
            : shell.IsInputRedirected ? await FirstLineAsync(cancellationToken)
            : Ask();
        if (password is null)
        {
            shell.Complain("the two passwords differ");
            return ExitCode.Usage;
        }

        try
        {
            string hash = flags.GetValue(_cost) is { } cost ? BcryptVerifier.CreateHash(password, cost) : BcryptVerifier.CreateHash(password);
            var lines = new LineOutput(shell);
            if (generates)
            {
                lines.Write(password);
                lines.EndLine();
            }

            lines.Write(hash);
            lines.EndLine();
            lines.Flush();
            return ExitCode.Success;
        }
        catch (ArgumentException)
        {
            shell.Complain("a password must have 1 to 72 bytes and no zero byte");
            return ExitCode.Usage;
        }
    }

    private async Task<byte[]> FirstLineAsync(CancellationToken cancellationToken)
    {
        await foreach (ReadOnlyMemory<byte> line in StandardInput.ReadLinesAsync(shell.Input, cancellationToken))
        {
            return line.ToArray();
        }

        return [];
    }

    // Returns null if the second password differs from the first one.
    private static byte[]? Ask()
    {
        byte[] first = Ask("Password: ");
        byte[] second = Ask("Again: ");
        return first.AsSpan().SequenceEqual(second) ? first : null;
    }

    private static byte[] Ask(string prompt)
    {
        Console.Error.Write(prompt);
        var typed = new StringBuilder();
        for (ConsoleKeyInfo key = Console.ReadKey(intercept: true); key.Key != ConsoleKey.Enter; key = Console.ReadKey(intercept: true))
        {
            if (key.Key == ConsoleKey.Backspace)
            {
                typed.Length = Math.Max(0, typed.Length - 1);
            }
            else if (key.KeyChar != '\0')
            {
                typed.Append(key.KeyChar);
            }
        }

        Console.Error.WriteLine();
        return Encoding.UTF8.GetBytes(typed.ToString());
    }

    private static int? ParseCost(ArgumentResult result)
    {
        string text = result.Tokens[0].Value;
        if (int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int cost) && cost is >= LeastCost and <= MostCost)
        {
            return cost;
        }

        result.AddError($"--cost must be a whole number from {LeastCost} to {MostCost}, not \"{text}\"");
        return null;
    }
}
