using Mono.Cecil;
using Mono.Cecil.Rocks;

namespace Broker.NetMQ.Compatibility.Tests;

/// <summary>The public and protected members of an assembly, each with a text that identifies it.</summary>
internal static class Surface
{
    /// <summary>The members of each type that other programs can use, without accessors.</summary>
    internal static SortedDictionary<string, SortedDictionary<string, string>> Read(string file)
    {
        using AssemblyDefinition assembly = Open(file);
        var types = new SortedDictionary<string, SortedDictionary<string, string>>(StringComparer.Ordinal);
        foreach (TypeDefinition type in assembly.MainModule.GetAllTypes().Where(IsVisible))
        {
            types[NameOf(type)] = MembersOf(type);
        }

        return types;
    }

    /// <summary>
    /// The members of a library that a program calls: <c>type.member</c>, and <c>*.name</c> for calls of overrides.
    /// </summary>
    internal static HashSet<string> CallsOf(string file, string library)
    {
        using AssemblyDefinition program = Open(file);
        var calls = new HashSet<string>(StringComparer.Ordinal);
        IEnumerable<MethodDefinition> bodies = program.MainModule.GetAllTypes().SelectMany(type => type.Methods).Where(method => method.HasBody);
        foreach (MethodReference called in bodies.SelectMany(method => method.Body.Instructions).Select(each => each.Operand).OfType<MethodReference>())
        {
            MethodReference element = called.GetElementMethod();
            calls.Add("*." + element.Name);
            if (element.DeclaringType.GetElementType().Scope.Name == library)
            {
                calls.Add($"{NameOf(element.DeclaringType.GetElementType())}.{KeyOf(element)}");
            }
        }

        foreach (FieldReference field in bodies.SelectMany(method => method.Body.Instructions).Select(each => each.Operand).OfType<FieldReference>())
        {
            calls.Add($"{NameOf(field.DeclaringType)}.{field.Name}");
        }

        return calls;
    }

    private static AssemblyDefinition Open(string file)
    {
        var resolver = new DefaultAssemblyResolver();
        resolver.AddSearchDirectory(Path.GetDirectoryName(file));
        resolver.AddSearchDirectory(Path.GetDirectoryName(typeof(object).Assembly.Location));
        return AssemblyDefinition.ReadAssembly(file, new ReaderParameters { AssemblyResolver = resolver });
    }

    private static bool IsVisible(TypeDefinition type)
        => type.IsPublic || ((type.IsNestedPublic || type.IsNestedFamily || type.IsNestedFamilyOrAssembly) && IsVisible(type.DeclaringType));

    // The value says how the member differs from others of its name: what it returns and what a constant is.
    private static SortedDictionary<string, string> MembersOf(TypeDefinition type)
    {
        var members = new SortedDictionary<string, string>(StringComparer.Ordinal);
        foreach (FieldDefinition field in type.Fields.Where(f => f.IsPublic || f.IsFamily || f.IsFamilyOrAssembly))
        {
            members[field.Name] = field.HasConstant ? $"= {field.Constant}" : Name(field.FieldType);
        }

        foreach (PropertyDefinition property in type.Properties.Where(p => IsVisible(p.GetMethod) || IsVisible(p.SetMethod)))
        {
            string accessors = (IsVisible(property.GetMethod) ? " get" : "") + (IsVisible(property.SetMethod) ? " set" : "");
            members[PropertyKey(property)] = Name(property.PropertyType) + accessors;
        }

        foreach (EventDefinition each in type.Events.Where(e => IsVisible(e.AddMethod)))
        {
            members[each.Name] = Name(each.EventType);
        }

        foreach (MethodDefinition method in type.Methods.Where(m => IsVisible(m) && !m.IsSpecialNameOfAccessor()))
        {
            members[KeyOf(method)] = (method.IsStatic ? "static " : "") + Name(method.ReturnType);
        }

        return members;
    }

    private static string PropertyKey(PropertyDefinition property)
        => property.HasParameters ? $"{property.Name}[{string.Join(", ", property.Parameters.Select(p => Name(p.ParameterType)))}]" : property.Name;

    private static bool IsSpecialNameOfAccessor(this MethodDefinition method)
        => method.IsGetter || method.IsSetter || method.IsAddOn || method.IsRemoveOn;

    private static bool IsVisible(MethodDefinition? method)
        => method is not null && (method.IsPublic || method.IsFamily || method.IsFamilyOrAssembly);

    internal static string KeyOf(MethodReference method)
        => $"{method.Name.TrimStart('.')}({string.Join(", ", method.Parameters.Select(p => Name(p.ParameterType)))}){(method.Name == "op_Implicit" ? " " + Name(method.ReturnType) : "")}";

    private static string NameOf(TypeReference type)
        => $"{(type.DeclaringType is null ? type.Namespace : NameOf(type.DeclaringType))}.{Short(type.Name)}{(type.Name.Contains('`', StringComparison.Ordinal) ? "<T>" : "")}";

    private static string Name(TypeReference type) => type switch
    {
        GenericInstanceType generic => $"{Short(generic.Name)}<{string.Join(", ", generic.GenericArguments.Select(Name))}>",
        ByReferenceType reference => "ref " + Name(reference.ElementType),
        ArrayType array => Name(array.ElementType) + "[]",
        GenericParameter parameter => parameter.Owner is TypeReference ? $"T{parameter.Position}" : $"M{parameter.Position}",
        RequiredModifierType modified => Name(modified.ElementType),
        _ => Short(type.Name),
    };

    private static string Short(string name) => name.Split('`')[0];
}
