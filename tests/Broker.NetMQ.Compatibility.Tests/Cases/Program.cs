using System.Reflection;
using NetMQ;

namespace Broker.NetMQCases;

/// <summary>
/// Runs the cases and prints what each has seen. The same source is compiled against NetMQ and against
/// Broker.NetMQ.Compatibility; a test compares the outputs.
/// </summary>
internal static class Program
{
    // A case that takes longer hangs, and its output says so. A busy machine does not reach the limit.
    private static readonly TimeSpan Longest = TimeSpan.FromSeconds(60);

    private static int Main(string[] names)
    {
        if (names is ["echo"])
        {
            DraftEcho.Run();
            return 0;
        }

        if (names is ["guide", var program])
        {
            return NetMQGuide.Guide.Run([program], Console.Out);
        }

        MethodInfo[] cases =
        [
            .. typeof(Program).Assembly.GetTypes()
                .Where(type => type.Name.EndsWith("Cases", StringComparison.Ordinal))
                .SelectMany(type => type.GetMethods(BindingFlags.Static | BindingFlags.Public | BindingFlags.DeclaredOnly))
                .Where(method => names.Length == 0 || names.Contains(method.Name))
                .OrderBy(method => method.Name, StringComparer.Ordinal),
        ];
        var queue = new Queue<MethodInfo>(cases.Where(each => each.DeclaringType != typeof(ProcessCases)));
        var done = new Dictionary<string, string>();
        var last = new Queue<MethodInfo>(cases.Where(each => each.DeclaringType == typeof(ProcessCases)));
        Thread[] workers = [.. Enumerable.Range(0, 4).Select(_ => new Thread(() => Work(queue, done)) { IsBackground = true })];
        Array.ForEach(workers, worker => worker.Start());
        Array.ForEach(workers, worker => worker.Join());
        Work(last, done);
        foreach (MethodInfo each in cases)
        {
            Console.Write($"## {each.Name}\n{done[each.Name]}");
        }

        // Neither library may keep the process alive, and a socket of a case that hangs would.
        NetMQConfig.Cleanup(block: false);
        Console.Out.Flush();
        Environment.Exit(0);
        return 0;
    }

    private static void Work(Queue<MethodInfo> queue, Dictionary<string, string> done)
    {
        while (true)
        {
            MethodInfo? next;
            lock (queue)
            {
                if (!queue.TryDequeue(out next))
                {
                    return;
                }
            }

            string seen = Run(next);
            lock (queue)
            {
                done[next.Name] = seen;
            }
        }
    }

    private static string Run(MethodInfo method)
    {
        var transcript = new Transcript();
        Action<Transcript> run = method.CreateDelegate<Action<Transcript>>();
        var thread = new Thread(() => transcript.Guard("case", () => run(transcript))) { IsBackground = true };
        thread.Start();
        return thread.Join(Longest) ? transcript.ToString() : transcript + "hangs\n";
    }
}
