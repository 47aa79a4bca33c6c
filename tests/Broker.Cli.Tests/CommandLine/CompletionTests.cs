namespace Broker.Cli.Tests.CommandLine;

public sealed class CompletionTests
{
    [Theory]
    [InlineData("broker ser", "serve", "server", "service")]
    [InlineData("broker serve --au", "--auth")]
    [InlineData("broker zmq pu", "pub", "pull", "push")]
    [InlineData("broker stream pu", "purge")]
    [InlineData("broker consumer res", "resume")]
    [InlineData("broker kv wat", "watch")]
    [InlineData("broker stream add A --retention w", "workqueue")]
    public async Task What_may_follow_is_suggested(string typed, params string[] suggested)
    {
        CommandRun run = await CommandRun.Of($"[suggest:{typed.Length}]", typed);

        Assert.Equal(ExitCode.Success, run.ExitCode);
        Assert.Equal(suggested, run.Output.Split('\n', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries).Order(StringComparer.Ordinal));
    }

    [Theory]
    [InlineData("bash", "complete ")]
    [InlineData("zsh", "compdef ")]
    [InlineData("pwsh", "Register-ArgumentCompleter ")]
    public async Task A_script_registers_the_command_with_its_shell_and_asks_for_suggestions(string shell, string registers)
    {
        CommandRun run = await CommandRun.Of("completion", shell);

        Assert.Equal(ExitCode.Success, run.ExitCode);
        Assert.Contains(registers, run.Output, StringComparison.Ordinal);
        Assert.Contains("[suggest:$", run.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_shell_that_is_not_known_is_refused() => Assert.Equal(ExitCode.Usage, (await CommandRun.Of("completion", "cmd")).ExitCode);
}
