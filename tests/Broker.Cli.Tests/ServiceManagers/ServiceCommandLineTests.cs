using System.CommandLine;
using Broker.Cli.CommandLine;
using Broker.Cli.ServiceManagers;
using Broker.Cli.Tests.CommandLine;

namespace Broker.Cli.Tests.ServiceManagers;

public sealed class ServiceCommandLineTests
{
    [Theory]
    [InlineData("plain", "plain")]
    [InlineData("", "\"\"")]
    [InlineData("two words", "\"two words\"")]
    [InlineData("C:\\a\\", "C:\\a\\")]
    [InlineData("C:\\a b\\", "\"C:\\a b\\\\\"")]
    [InlineData("say \"x\"", "\"say \\\"x\\\"\"")]
    [InlineData("\\\"", "\"\\\\\\\"\"")]
    public void An_argument_is_quoted_as_Windows_reads_it(string argument, string quoted) => Assert.Equal(quoted, ServiceCommandLine.Quote(argument));

    [Fact]
    public void Whatever_is_quoted_is_read_as_it_was()
    {
        int seed = Seed.Next();
        var random = new Random(seed);
        for (int round = 0; round < 2_000; round++)
        {
            string[] arguments = [.. Enumerable.Range(0, random.Next(1, 5)).Select(_ => new string([.. Enumerable.Range(0, random.Next(0, 8)).Select(_ => "ab \\\"\t"[random.Next(6)])]))];

            Assert.True(arguments.SequenceEqual(Split(ServiceCommandLine.Build(["p"], arguments)).Skip(1)), $"seed {seed}: {string.Join('|', arguments)}");
        }
    }

    [Fact]
    public void The_program_is_always_in_quotes() => Assert.Equal("\"C:\\x.exe\" a", ServiceCommandLine.Build(["C:\\x.exe"], ["a"]));

    [Fact]
    public async Task Elsewhere_than_on_Windows_a_service_is_refused_with_a_word_on_what_is_there()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Windows has services");
        foreach (string verb in (string[])["install", "start", "stop", "status", "reload", "uninstall"])
        {
            CommandRun run = await CommandRun.Of("service", verb);
            Assert.Equal(ExitCode.Failure, run.ExitCode);
            Assert.Contains("with systemd, run broker serve from a unit", run.Error, StringComparison.Ordinal);
        }

        Assert.Equal(ExitCode.Usage, (await CommandRun.Of("service", "run")).ExitCode);
    }

    [Fact]
    public void What_is_shown_hides_passwords_and_tokens_and_what_is_installed_has_them()
    {
        var options = new ServeOptions();
        var command = new Command("install");
        foreach (Option option in options.OfService)
        {
            command.Options.Add(option);
        }

        ParseResult line = command.Parse(["--user", "ada", "--pass", "secret", "--auth=token", "-p", "4333"]);

        Assert.Equal(["-p=4333", "--user=ada", "--pass=***", "--auth=***"], ServiceCommandLine.Given(line, options.OfService, options.Secrets));
        Assert.Equal(["-p=4333", "--user=ada", "--pass=secret", "--auth=token"], ServiceCommandLine.Given(line, options.OfService, []));
    }

    [Theory]
    [InlineData("-t")]
    [InlineData("--signal=reload")]
    public async Task A_flag_that_serves_nothing_is_refused_where_a_service_is_installed(string flag)
        => Assert.Equal(ExitCode.Usage, (await CommandRun.Of("service", "install", flag)).ExitCode);

    // Another implementation of the rules of CommandLineToArgvW.
    private static List<string> Split(string line)
    {
        var arguments = new List<string>();
        int i = 0;
        while (i < line.Length)
        {
            while (i < line.Length && line[i] is ' ' or '\t')
            {
                i++;
            }

            if (i == line.Length)
            {
                break;
            }

            var argument = new System.Text.StringBuilder();
            bool quoted = false;
            while (i < line.Length && (quoted || line[i] is not (' ' or '\t')))
            {
                int backslashes = 0;
                while (i < line.Length && line[i] == '\\')
                {
                    backslashes++;
                    i++;
                }

                bool atQuote = i < line.Length && line[i] == '"';
                argument.Append('\\', atQuote ? backslashes / 2 : backslashes);
                if (!atQuote)
                {
                    if (i < line.Length && (quoted || line[i] is not (' ' or '\t')))
                    {
                        argument.Append(line[i++]);
                    }
                }
                else if (backslashes % 2 == 1)
                {
                    argument.Append('"');
                    i++;
                }
                else
                {
                    quoted = !quoted;
                    i++;
                }
            }

            arguments.Add(argument.ToString());
        }

        return arguments;
    }
}
