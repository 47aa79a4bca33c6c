namespace Broker.Cli.Tests.Documentation;

/// <summary>
/// The cases of all flags of <c>broker serve</c>. FLAG is replaced by one of the names, CERT and KEYFILE by the files
/// of a certificate, FOLDER by an existing folder, FREEPORT by a free port, CONFIG by a configuration file, PID by a
/// process that must not receive a signal.
/// </summary>
internal static class FlagCases
{
    private static readonly string[][] NotATruth = [["FLAG=maybe"]];

    public static IReadOnlyList<FlagCase> All { get; } =
    [
        new(["-a", "--addr", "--net"], [["FLAG", "0.0.0.0"], ["FLAG=::"], ["FLAG", "*"], ["FLAG", "localhost"]], [["FLAG", "a b"], ["FLAG", ""], ["FLAG"]]),
        new(["-p", "--port"], [["FLAG", "-1"], ["FLAG=FREEPORT"]], [["FLAG", "x"], ["FLAG", "70000"], ["FLAG", "-2"], ["FLAG"]]),
        new(["-n", "--name", "--server_name"], [["FLAG", "n"], ["FLAG=@n"]], [["FLAG"]]),
        new(["--client_advertise"], [["FLAG", "a:1"]], [["FLAG", "a"], ["FLAG"]]),
        new(["-c", "--config"], [["FLAG", "CONFIG"]], [["FLAG", "FOLDER/none.conf"], ["FLAG", "FOLDER"], ["FLAG"]]),
        new(["-t"], [], [["FLAG", "-c", "FOLDER/none.conf"]]),
        new(["-m", "--http_port"], [["FLAG", "-1"], ["FLAG", "0"], ["FLAG=FREEPORT"]], [["FLAG", "x"], ["FLAG", "70000"], ["FLAG"]]),
        new(["-ms", "--https_port"], [["FLAG", "-1", "--tlscert", "CERT", "--tlskey", "KEYFILE"], ["FLAG", "0"]], [["FLAG", "-1"], ["FLAG", "x"], ["FLAG", "-1", "-m", "-1"]]),
        new(["--sample_subjects"], [["FLAG", "1000"], ["FLAG=0"]], [["FLAG", "x"], ["FLAG", "-1"], ["FLAG", "1000001"], ["FLAG"]]),
        new(["--user", "--pass"], [["--user", "a", "--pass", "p"]], [["FLAG", "a"], ["--user", "", "--pass", "p"], ["--user", "a", "--pass", ""]]),
        new(["--auth"], [["FLAG", "t"]], [["FLAG", ""], ["FLAG"]]),
        new(
            ["--tls", "--tlscert", "--tlskey"], [["--tls", "--tlscert", "CERT", "--tlskey", "KEYFILE"], ["--tls=false", "--tlscert", "none"]],
            [["FLAG", "CERT"], ["--tls", "--tlscert", "none", "--tlskey", "KEYFILE"], ["--tls=maybe"]]),
        new(
            ["--tlsverify", "--tlscacert"], [["--tlsverify", "--tlscert", "CERT", "--tlskey", "KEYFILE", "--tlscacert", "CERT"]],
            [["FLAG", "none"], ["--tlscert", "CERT", "--tlskey", "KEYFILE", "--tlscacert", "none"]]),
        new(["-l", "--log"], [["FLAG", "FOLDER/b.log"]], [["FLAG", "FOLDER/none/b.log"], ["FLAG", "FOLDER"], ["FLAG"]]),
        new(["--log_size_limit"], [["FLAG", "1000000", "-l", "FOLDER/b.log"], ["FLAG=0"], ["FLAG", "-1"]], [["FLAG", "x"], ["FLAG", "1MB"], ["FLAG"]]),
        new(["-T", "--logtime"], [["FLAG"], ["FLAG=false"]], NotATruth),
        new(["-D", "--debug"], [["FLAG"], ["FLAG=false"]], NotATruth),
        new(["-V", "--trace"], [["FLAG"], ["FLAG=false"]], NotATruth),
        new(["-DV", "-DVV"], [["FLAG"]], [["FLAGD"]]),
        new(["-VV"], [["FLAG"], ["FLAG=false"]], [["FLAGD"], .. NotATruth]),
        new(["--max_traced_msg_len"], [["FLAG", "5"], ["FLAG=0"], ["FLAG", "-1"]], [["FLAG", "x"], ["FLAG", "1.5"], ["FLAG"]]),
        new(["-P", "--pid"], [["FLAG", "FOLDER/b.pid"]], [["FLAG", "FOLDER/none/b.pid"], ["FLAG"]]),
        new(["--ports_file_dir"], [["FLAG", "FOLDER"]], [["FLAG", "FOLDER/none"], ["FLAG"]]),
        new(["--ignore-unsupported"], [["FLAG", "-s", "--profile", "1"], ["FLAG=false"]], [["FLAG=false", "-s"], .. NotATruth]),
        new(["-js", "--jetstream"], [["FLAG", "-sd", "FOLDER/js"], ["FLAG=false"]], NotATruth),
        new(["-sd", "--store_dir"], [["-js", "FLAG", "FOLDER/js"], ["-js", "FLAG=FOLDER/js"], ["FLAG", "FOLDER/js"], ["FLAG", ""]], [["FLAG"]]),
        new(["-q", "--quiet"], [["FLAG"]], NotATruth),
        new(
            ["--zeromq"], [["FLAG", "--zeromq-publishers", "tcp://127.0.0.1:*", "--zeromq-subscribers", "tcp://127.0.0.1:*"], ["FLAG=false"]],
            [.. NotATruth, ["FLAG", "-p", "5556"]]),
        new(
            ["--zeromq-publishers", "--zeromq-subscribers"],
            [["--zeromq-publishers", "tcp://127.0.0.1:*", "--zeromq-subscribers", "bind tcp://[::1]:*", "FLAG", "connect tcp://127.0.0.1:9"]],
            [["FLAG", "x"], ["FLAG", "udp://h:1"], ["FLAG"]]),
        new(
            ["--zeromq-prefix"], [["FLAG", "plant", "--zeromq-publishers", "tcp://127.0.0.1:*", "--zeromq-subscribers", "tcp://127.0.0.1:*"]],
            [["FLAG", "a b"], ["FLAG", "*"], ["FLAG"]]),
        new(["--signal", "-sl"], [], [["FLAG", "x"], ["FLAG", "reload="], ["FLAG", "reload=FOLDER/none.pid"], ["FLAG"]]),
    ];
}
