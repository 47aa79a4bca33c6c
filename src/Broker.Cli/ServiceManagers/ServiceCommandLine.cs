using System.CommandLine;
using System.CommandLine.Parsing;
using System.Text;

namespace Broker.Cli.ServiceManagers;

/// <summary>
/// Builds the command line of a Windows service: this program with the flags of <c>broker service install</c>.
/// </summary>
internal static class ServiceCommandLine
{
    /// <param name="program">This program: its path, or the path of dotnet and the path of the assembly.</param>
    /// <param name="arguments">The arguments.</param>
    public static string Build(IEnumerable<string> program, IEnumerable<string> arguments)
        // Windows would try a path without quotes up to each of its spaces, and could start another program.
        => string.Join(' ', program.Select(p => Quote(p, always: true)).Concat(arguments.Select(a => Quote(a))));

    /// <summary>Returns the file of this program, or dotnet and the assembly.</summary>
    public static IReadOnlyList<string> ThisProgram()
    {
        string process = Environment.ProcessPath ?? ProgramName.Default;
        return Path.GetFileNameWithoutExtension(process) == "dotnet"
            ? [process, Path.Combine(AppContext.BaseDirectory, typeof(ServiceCommandLine).Assembly.GetName().Name + ".dll")]
            : [process];
    }

    /// <summary>
    /// Returns the folder in which relative paths of a service begin: the program's folder, because Windows starts
    /// services in one of its own folders.
    /// </summary>
    public static string Folder()
        => Path.GetDirectoryName(ThisProgram()[^1]) is { Length: > 0 } folder ? folder : AppContext.BaseDirectory;

    /// <summary>
    /// Returns the options of a command line that are in <paramref name="passed"/>, in the order of that list.
    /// </summary>
    /// <param name="line">The command line.</param>
    /// <param name="passed">The options to return.</param>
    /// <param name="hidden">The options whose values are replaced by asterisks.</param>
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

            // The name and the value form one word, because a value may begin with a dash.
            foreach (Token token in result.Tokens)
            {
                yield return $"{name}={(hidden.Contains(option) ? "***" : token.Value)}";
            }
        }
    }

    /// <summary>
    /// Quotes an argument so that CommandLineToArgvW, which .NET uses, returns the argument unchanged.
    /// </summary>
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

            // Before a quote, each backslash is doubled, and one more backslash escapes the quote.
            quoted.Append('\\', c == '"' ? (backslashes * 2) + 1 : backslashes).Append(c);
            backslashes = 0;
        }

        return quoted.Append('\\', backslashes * 2).Append('"').ToString();
    }
}
