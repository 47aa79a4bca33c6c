using System.CommandLine;
using Broker.Cli.Help;

namespace Broker.Cli.CommandLine;

/// <summary>
/// <c>broker completion</c>: prints the script by which a shell asks this program for completions, with the directive
/// <c>[suggest]</c>.
/// </summary>
internal sealed class CompletionCommand(TextWriter output)
{
    private const string Examples = """
        Examples:
          broker completion bash >> ~/.bashrc
          broker completion zsh >> ~/.zshrc
          broker completion pwsh >> $PROFILE
        """;

    private const string Bash = """
        _broker() {
            local IFS=$'\n'
            COMPREPLY=($(compgen -W "$(broker "[suggest:$COMP_POINT]" "$COMP_LINE" 2>/dev/null)" -- "${COMP_WORDS[COMP_CWORD]}"))
        }
        complete -o default -F _broker broker
        """;

    private const string Zsh = """
        _broker() {
            local -a words
            words=("${(@f)$(broker "[suggest:$CURSOR]" "$BUFFER" 2>/dev/null)}")
            compadd -a words
        }
        compdef _broker broker
        """;

    private const string PowerShell = """
        Register-ArgumentCompleter -Native -CommandName broker -ScriptBlock {
            param($word, $line, $position)
            broker "[suggest:$position]" "$line" 2>$null | Where-Object { $_ -like "$word*" } |
                ForEach-Object { [System.Management.Automation.CompletionResult]::new($_) }
        }
        """;

    public Command Build()
    {
        var shell = new Argument<string>("shell") { Description = "The shell: bash, zsh or pwsh" };
        shell.AcceptOnlyFromAmong("bash", "zsh", "pwsh");
        var command = new Command("completion", "Prints the script that lets a shell complete commands and flags of broker.");
        command.Arguments.Add(shell);
        HelpWithExamples.Add(command, Examples);
        command.SetAction(line =>
        {
            output.WriteLine(line.GetValue(shell) switch { "bash" => Bash, "zsh" => Zsh, _ => PowerShell });
            return ExitCode.Success;
        });
        return command;
    }
}
