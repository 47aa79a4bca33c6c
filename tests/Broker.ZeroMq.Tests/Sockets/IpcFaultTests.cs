namespace Broker.ZeroMq.Tests.Sockets;

/// <summary>The error of an ipc endpoint names what is wrong with its path.</summary>
public sealed class IpcFaultTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("ipc").FullName;

    private string FilePath => Path.Combine(_folder, "file");

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void A_missing_folder_is_named() => Assert.Equal($"the folder {_folder}/none does not exist", BindTo($"{_folder}/none/file"));

    [Fact]
    public void A_file_in_place_of_a_folder_is_named()
    {
        File.WriteAllText(FilePath, "");
        Assert.Equal($"{FilePath} is not a folder", BindTo($"{FilePath}/socket"));
    }

    [Fact]
    public void A_file_that_is_not_a_socket_is_named()
    {
        File.WriteAllText(FilePath, "kept");
        Assert.Equal("the path is a file that is not a socket", BindTo(FilePath));
        Assert.Equal("kept", File.ReadAllText(FilePath));
    }

    [Fact]
    public void A_folder_in_place_of_a_socket_is_named() => Assert.Equal("the path is a folder", BindTo(_folder));

    [Fact]
    public void A_path_in_use_is_named()
    {
        using var first = new PullSocket();
        first.Bind("ipc://" + FilePath);
        Assert.Equal("another socket listens at this path", BindTo(FilePath));
    }

    [Fact]
    public void A_folder_that_may_not_be_written_to_is_named()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "It uses /sys.");
        Assert.Equal("this process may not create files in the folder /sys", BindTo("/sys/socket"));
    }

    [Fact]
    public void A_path_that_is_too_long_is_named()
    {
        using var pull = new PullSocket();
        Assert.Contains("longer than 103 octets", Assert.Throws<FormatException>(() => pull.Bind("ipc:///" + new string('x', 200))).Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(null, "the file does not exist (NetMQ creates none: its ipc:// is a TCP port)")]
    [InlineData("text", "the path is a file that is not a socket")]
    public async Task A_path_that_nothing_listens_at(string? content, string reason)
    {
        if (content is not null)
        {
            await File.WriteAllTextAsync(FilePath, content, TestContext.Current.CancellationToken);
        }

        var events = new Inbox<ZeroMqEvent>();
        using var push = new PushSocket(new ZeroMqSocketOptions { OnEvent = events.Add, Linger = TimeSpan.Zero });
        push.Connect("ipc://" + FilePath);
        Assert.Equal(reason, (await events.TakeAsync(e => e.Kind == ZeroMqEventKind.ConnectFailed)).Reason);
    }

    private static string BindTo(string path)
    {
        using var pull = new PullSocket();
        string message = Assert.Throws<ZeroMqBindException>(() => pull.Bind("ipc://" + path)).Message;
        string start = $"Cannot bind to ipc://{path}: ";
        Assert.StartsWith(start, message, StringComparison.Ordinal);
        return message[start.Length..^1];
    }
}
