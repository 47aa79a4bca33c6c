using Broker.Fuzz;
using SharpFuzz;

// broker-fuzz TARGET          runs under afl-fuzz; see eng/fuzz.sh
// broker-fuzz TARGET FILE...  runs the target once with each file, to reproduce a finding
// broker-fuzz seeds FOLDER    writes the first inputs of each target into a folder of its name
// broker-fuzz names           prints the names of the targets
switch (args)
{
    case ["names"]:
        Console.WriteLine(string.Join('\n', Target.All.Select(target => target.Name)));
        return 0;
    case ["seeds", var folder]:
        foreach (Target target in Target.All)
        {
            target.WriteSeeds(Path.Combine(folder, target.Name));
        }

        return 0;
    case [var name, .. var files] when Target.All.FirstOrDefault(target => target.Name == name) is { } target:
        if (files.Length == 0)
        {
            Fuzzer.Run(target.Run);
            return 0;
        }

        foreach (string file in files)
        {
            using FileStream stream = File.OpenRead(file);
            target.Run(stream);
        }

        return 0;
    default:
        Console.Error.WriteLine($"Give a target ({string.Join(", ", Target.All.Select(t => t.Name))}), 'seeds' or 'names'.");
        return 2;
}
