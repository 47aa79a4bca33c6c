using Broker.Cli.Terminal;

namespace Broker.Cli.Tests.Terminal;

public sealed class ScreenTests
{
    private const string Clear = "\r\u001b[K";

    [Fact]
    public void A_line_appears_above_the_status_on_a_terminal()
    {
        using var both = new StringWriter { NewLine = "\n" };
        var screen = new Screen(both, both, isTerminal: true, static () => 80);

        screen.ShowStatus("1 client");
        screen.WriteErrorLine("a log line");
        screen.ShowStatus("2 clients");
        screen.EndStatus();
        screen.WriteLine("stopping");

        Assert.Equal($"{Clear}1 client{Clear}a log line\n1 client{Clear}2 clients\nstopping\n", both.ToString());
    }

    [Fact]
    public void A_status_never_wraps()
    {
        using var output = new StringWriter();
        new Screen(output, output, isTerminal: true, static () => 5).ShowStatus("0123456789");

        Assert.Equal(Clear + "0123", output.ToString());
    }

    [Fact]
    public void Without_a_terminal_a_status_is_a_plain_line()
    {
        using var output = new StringWriter { NewLine = "\n" };
        var screen = new Screen(output, output, isTerminal: false, static () => throw new InvalidOperationException("no width"));

        screen.ShowStatus("1 client");
        screen.EndStatus();

        Assert.Equal("1 client\n", output.ToString());
    }
}
