using System.CommandLine;
using System.CommandLine.Parsing;
using System.Text;

namespace Broker.Cli.ServiceManagers;

/// <summary>The command line that a Windows service is installed with: this program, and the flags that it was given, as they were.</summary>
internal static class ServiceCommandLine
{
    /// <param name="program">The parts that start this program: its path, or that of dotnet and its assembly.</param>
    /// <param name="arguments">The rest.</param>
    public static string Build(IEnumerable<string> program, IEnumerable<string> arguments)
        // A path without quotes would be tried up to each of its spaces, as somebody else's program.
        => string.Join(' ', program.Select(p => Quote(p, always: true)).Concat(arguments.Select(a => Quote(a))));

    /// <summary>How this program is started: its own file, or dotnet with the assembly.</summary>
    public static IReadOnlyList<string> ThisProgram()
    {
        string process = Environment.ProcessPath ?? ProgramName.Default;
        return Path.GetFileNameWithoutExtension(process) == "dotnet"
            ? [process, Path.Combine(AppContext.BaseDirectory, typeof(ServiceCommandLine).Assembly.GetName().Name + ".dll")]
            : [process];
    }

    /// <summary>The folder that relative paths of a service begin in: that of the program, since Windows starts services in its own.</summary>
    public static string Folder() => Path.GetDirectoryName(ThisProgram()[^1]) is { Length: > 0 } folder ? folder : AppContext.BaseDirectory;

    /// <summary>The options of a command line that are among <paramref name="passed"/>, in the order of that list.</summary>
    /// <param name="line">It.</param>
    /// <param name="passed">Those that count.</param>
    /// <param name="hidden">Those of them whose values are not for people to see.</param>
    public static IEnumerable<string> Given(ParseResult line, IEnumerable<Option> passed, IReadOnlyList<Option> hidden)
    {
        foreach (Option option in passed)
        {
            if (line.GetResult(option) is not { Implicit: false } result)
            {
                continue;
            }

            string name = result.IdentifierToken?.Value ?? option.Name;
            if (result.Tokens.Count == 0)
            {
                yield return name;
            }

            // In one word: a value may begin with a dash.
            foreach (Token token in result.Tokens)
            {
                yield return $"{name}={(hidden.Contains(option) ? "***" : token.Value)}";
            }
        }
    }

    /// <summary>One argument so that CommandLineToArgvW, and .NET with it, reads it as it was.</summary>
    internal static string Quote(string argument, bool always = false)
    {
        if (!always && argument.Length > 0 && !argument.AsSpan().ContainsAny(" \t\n\v\""))
        {
            return argument;
        }

        var quoted = new StringBuilder("\"");
        int backslashes = 0;
        foreach (char c in argument)
        {
            if (c == '\\')
            {
                backslashes++;
                continue;
            }

            // Backslashes count double before a quote only, and one more takes its meaning from it.
            quoted.Append('\\', c == '"' ? (backslashes * 2) + 1 : backslashes).Append(c);
            backslashes = 0;
        }

        return quoted.Append('\\', backslashes * 2).Append('"').ToString();
    }
}
